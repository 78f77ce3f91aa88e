import { subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId, SubscriberId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

const linkLifeMs = subscriberLimits.confirmationHours * 3_600_000;

type Input = { pageId: PageId; subscriberId: SubscriberId };

/** What the link of a confirmation can do. One of a subscriber that was forgotten meanwhile has expired. */
export type ConfirmationLink = 'usable' | 'used' | 'expired';

export async function loadConfirmationLink(
  { sql, clock }: { sql: Sql | Transaction; clock: Clock },
  { pageId, subscriberId }: Input,
): Promise<ConfirmationLink> {
  const [row] = await sql<{ confirmed_at: Date | null; sent_at: Date | null }[]>`
    select confirmed_at, confirmation_sent_at as sent_at
    from subscribers where id = ${subscriberId} and page_id = ${pageId}`;
  if (row === undefined) return 'expired';
  if (row.confirmed_at !== null) return 'used';
  return row.sent_at !== null && clock.now() <= row.sent_at.getTime() + linkLifeMs ? 'usable' : 'expired';
}

/**
 * Confirms when the link is still good, which also takes back that the address unsubscribed. Answers as
 * loadConfirmationLink() would have before.
 */
export async function confirmSubscriber(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, subscriberId }: Input,
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
