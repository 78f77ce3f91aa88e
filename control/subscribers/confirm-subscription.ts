import { subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId, SubscriberId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

const linkLifeMs = subscriberLimits.confirmationHours * hourMs;

type Deps = { sql: Sql; clock: Clock };

export type LinkOwner = { pageId: PageId; subscriberId: SubscriberId };

/** The state of a link to confirm. The link of a subscriber that was deleted has expired. */
export type ConfirmationLink = 'usable' | 'used' | 'expired';

/** Loads the state of the link to confirm of a subscriber. */
export async function loadConfirmationLink(
  { sql, clock }: { sql: Sql | Transaction; clock: Clock },
  { pageId, subscriberId }: LinkOwner,
): Promise<ConfirmationLink> {
  const [row] = await sql<{ confirmed_at: Date | null; sent_at: Date | null }[]>`
    select confirmed_at, confirmation_sent_at as sent_at
    from subscribers where id = ${subscriberId} and page_id = ${pageId}`;
  if (row === undefined) return 'expired';
  if (row.confirmed_at !== null) return 'used';
  return row.sent_at !== null && clock.now() <= row.sent_at.getTime() + linkLifeMs ? 'usable' : 'expired';
}

/**
 * Confirms a subscriber whose link is usable, and ends the suppression of an address that had unsubscribed. Returns
 * the state of the link before.
 */
export async function confirmSubscriber(
  { sql, clock }: Deps,
  { pageId, subscriberId }: LinkOwner,
): Promise<ConfirmationLink> {
  return inTransaction(sql, async (tx) => {
    await tx`select 1 from subscribers where id = ${subscriberId} for update`;
    const link = await loadConfirmationLink({ sql: tx, clock }, { pageId, subscriberId });
    if (link !== 'usable') return link;
    await tx`
      with confirmed as (
        update subscribers set confirmed_at = ${new Date(clock.now())}
        where id = ${subscriberId} and page_id = ${pageId} returning page_id, email)
      delete from suppressions s using confirmed c
      where s.page_id = c.page_id and s.email = c.email and s.reason = 'unsubscribed'`;
    return link;
  });
}

/**
 * Ends the confirmation of a subscriber and suppresses the address; a chat is forgotten. Links to confirm that were sent
 * before stop working. Does nothing when it is repeated, or when the subscriber no longer exists.
 */
export async function unsubscribeSubscriber(
  { sql, clock }: Deps,
  { pageId, subscriberId }: LinkOwner,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const [chat] = await tx`
      delete from subscribers where id = ${subscriberId} and page_id = ${pageId} and email is null returning id`;
    if (chat !== undefined) return;
    const [subscriber] = await tx<{ email: string }[]>`
      update subscribers set confirmed_at = null, confirmation_sent_at = null
      where id = ${subscriberId} and page_id = ${pageId} returning email`;
    if (subscriber === undefined) return;
    await tx`
      insert into suppressions (page_id, email, reason, created_at)
      values (${pageId}, ${subscriber.email}, 'unsubscribed', ${new Date(clock.now())})
      on conflict do nothing`;
  });
}

/**
 * Deletes the addresses that have not confirmed within 7 days of their last sign-up, and those that unsubscribed as
 * long ago. Suppressions stay. Returns how many were deleted.
 */
export async function forgetUnconfirmedSubscribers({ sql, clock }: Deps): Promise<number> {
  const before = new Date(clock.now() - subscriberLimits.unconfirmedDays * dayMs);
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from subscribers where confirmed_at is null and id in (
        select id from subscribers where confirmed_at is null and requested_at < ${before} limit ${chunkRows})`;
    return count;
  });
}
