import { subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { type EmailId, newId, type PageId, type SubscriberId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { loadSuppression } from './subscriber.js';

const dayMs = 24 * 3_600_000;

type Input = {
  pageId: PageId;
  /** As parseEmailAddress() gives it. */
  email: string;
  /** One that the page publishes. */
  language: string;
};

/**
 * Asks an address for its confirmation, by an email that a worker of notify/ sends. Nothing is asked of one that
 * has confirmed, that bounced, or that was asked often enough within a day; the caller is not told which.
 */
export async function requestSubscription(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, email, language }: Input,
): Promise<void> {
  const now = new Date(clock.now());
  await inTransaction(sql, async (tx) => {
    // A second sign-up of the address waits here for the first, and then sees what that one queued.
    const [subscriber] = await tx<{ id: SubscriberId; confirmed: boolean }[]>`
      insert into subscribers as s (id, page_id, email, language, created_at, requested_at)
      values (${newId<SubscriberId>(clock.now())}, ${pageId}, ${email}, ${language}, ${now}, ${now})
      on conflict (page_id, email) do update set
        requested_at = excluded.requested_at,
        language = case when s.confirmed_at is null then excluded.language else s.language end
      returning id, confirmed_at is not null as confirmed`;
    if (subscriber === undefined || subscriber.confirmed) return;
    if ((await loadSuppression(tx, pageId, email)) === 'bounced') return;
    if (!(await mayBeAsked(tx, subscriber.id, now))) return;
    await tx`
      insert into emails (id, page_id, subscriber_id, kind, next_attempt_at, created_at)
      values (${newId<EmailId>(clock.now())}, ${pageId}, ${subscriber.id}, 'confirmation', ${now}, ${now})`;
  });
}

/** One that is still to be sent answers every sign-up since. */
async function mayBeAsked(tx: Transaction, subscriberId: SubscriberId, now: Date): Promise<boolean> {
  const [row] = await tx<{ lately: number; pending: number }[]>`
    select
      count(*) filter (where created_at > ${new Date(now.getTime() - dayMs)})::int as lately,
      count(*) filter (where state = 'pending')::int as pending
    from emails where subscriber_id = ${subscriberId} and kind = 'confirmation'`;
  return row !== undefined && row.pending === 0 && row.lately < subscriberLimits.confirmationsPerDay;
}

/** Whether the page takes sign-ups: too many that nobody confirms are somebody's attack. */
export async function takesSignUps({ sql }: { sql: Sql }, pageId: PageId): Promise<boolean> {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*)::int as waiting from (
      select 1 from subscribers where page_id = ${pageId} and confirmed_at is null
      limit ${subscriberLimits.unconfirmedPerPage}) as s`;
  return (row?.waiting ?? 0) < subscriberLimits.unconfirmedPerPage;
}
