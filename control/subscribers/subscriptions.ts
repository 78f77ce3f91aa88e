import { type SuppressionReason, subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { type EmailId, newId, type PageId, type SubscriberId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { findPreferences, type Preferences } from './choice.js';

const linkLifeMs = subscriberLimits.confirmationHours * hourMs;

type Deps = { sql: Sql; clock: Clock };
type LinkOwner = { pageId: PageId; subscriberId: SubscriberId };

type SignUpInput = {
  pageId: PageId;
  /** Everything, without reminders, when absent. */
  preferences?: Preferences;
  /** In the form that parseEmailAddress() returns. */
  email: string;
  /** A language that the page publishes. */
  language: string;
};

/** What a link to confirm can do. The link of a subscriber that was deleted since has expired. */
export type ConfirmationLink = 'usable' | 'used' | 'expired';

/**
 * Queues an email that asks an address for its confirmation. Queues none for an address that has confirmed, that has
 * bounced, or that the page asked often enough within a day; the caller cannot tell the difference.
 *
 * @throws ServiceError `invalidBody` for a service or group that the page does not show.
 */
export async function requestSubscription({ sql, clock }: Deps, input: SignUpInput): Promise<void> {
  await inTransaction(sql, (tx) => signUp(tx, { ...input, now: clock.now() }));
}

/** The same in a transaction. Returns the email that it queued. `now` is in milliseconds since the epoch. */
export async function signUp(
  tx: Transaction,
  { pageId, email, language, preferences, now }: SignUpInput & { now: number },
): Promise<EmailId | undefined> {
  const at = new Date(now);
  const wanted = preferences && (await findPreferences(tx, pageId, preferences));
  // A second sign-up of the address waits here for the first, and then sees the email that it queued.
  const [subscriber] = await tx<{ id: SubscriberId; confirmed: boolean }[]>`
    insert into subscribers as s
      (id, page_id, email, language, monitor_ids, group_ids, reminders, created_at, requested_at)
    values (${newId<SubscriberId>(now)}, ${pageId}, ${email}, ${language}, ${wanted?.monitorIds ?? null}::uuid[],
      ${wanted?.groupIds ?? null}::uuid[], ${wanted?.reminders ?? false}, ${at}, ${at})
    on conflict (page_id, email) do update set
      requested_at = excluded.requested_at,
      -- Whoever has confirmed changes these by the link in their emails, and not by what somebody else sends.
      language = case when s.confirmed_at is null then excluded.language else s.language end,
      monitor_ids = case when s.confirmed_at is null then excluded.monitor_ids else s.monitor_ids end,
      group_ids = case when s.confirmed_at is null then excluded.group_ids else s.group_ids end,
      reminders = case when s.confirmed_at is null then excluded.reminders else s.reminders end
    returning id, confirmed_at is not null as confirmed`;
  if (subscriber === undefined || subscriber.confirmed) return undefined;
  if ((await loadSuppression(tx, pageId, email)) === 'bounced') return undefined;
  const asked = await countConfirmations(tx, subscriber.id, now);
  // A pending email answers every sign-up since it was queued.
  if (asked.pending > 0 || asked.lately >= subscriberLimits.confirmationsPerDay) return undefined;
  return queueConfirmation(tx, { pageId, subscriberId: subscriber.id, now });
}

/** Counts the emails that asked a subscriber for a confirmation: those of the last 24 hours, and those not sent yet. */
export async function countConfirmations(
  tx: Transaction,
  subscriberId: SubscriberId,
  now: number,
): Promise<{ lately: number; pending: number }> {
  const [row] = await tx<{ lately: number; pending: number }[]>`
    select
      count(*) filter (where created_at > ${new Date(now - dayMs)})::int as lately,
      count(*) filter (where state = 'pending')::int as pending
    from emails where subscriber_id = ${subscriberId} and kind = 'confirmation'`;
  return row ?? { lately: 0, pending: 0 };
}

/** Queues an email that asks a subscriber for its confirmation. */
export async function queueConfirmation(
  tx: Transaction,
  { pageId, subscriberId, now }: LinkOwner & { now: number },
): Promise<EmailId> {
  const id = newId<EmailId>(now);
  await tx`
    insert into emails (id, page_id, subscriber_id, kind, next_attempt_at, created_at)
    values (${id}, ${pageId}, ${subscriberId}, 'confirmation', ${new Date(now)}, ${new Date(now)})`;
  return id;
}

/** Loads why an address gets no email of a page. Returns `undefined` when it may get email. */
export async function loadSuppression(
  sql: Sql | Transaction,
  pageId: PageId,
  email: string,
): Promise<SuppressionReason | undefined> {
  const [row] = await sql<{ reason: SuppressionReason }[]>`
    select reason from suppressions where page_id = ${pageId} and email = ${email}`;
  return row?.reason;
}

/** Returns whether the page takes sign-ups. Too many that nobody confirms are an attack. */
export async function takesSignUps({ sql }: { sql: Sql | Transaction }, pageId: PageId): Promise<boolean> {
  return (await countSignUpsLeft(sql, pageId)) > 0;
}

/** How many more addresses of the page may be unconfirmed. */
export async function countSignUpsLeft(sql: Sql | Transaction, pageId: PageId): Promise<number> {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*)::int as waiting from (
      select 1 from subscribers where page_id = ${pageId} and confirmed_at is null
      limit ${subscriberLimits.unconfirmedPerPage}) as s`;
  return subscriberLimits.unconfirmedPerPage - (row?.waiting ?? 0);
}

/** Loads what the link to confirm of a subscriber can do. */
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
 * what the link could do before.
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
