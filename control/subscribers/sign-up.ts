import { type SuppressionReason, subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { type EmailId, newId, type PageId, type SubscriberId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { LinkOwner } from './confirm-subscription.js';
import { findPreferences, type Preferences } from './preferences.js';

type SignUpInput = {
  pageId: PageId;
  /** Everything, without reminders, when absent. */
  preferences?: Preferences;
  /** In the form that parseEmailAddress() returns. */
  email: string;
  /** A language that the page publishes. */
  language: string;
};

/**
 * Queues an email that asks an address for its confirmation. Queues none for an address that has confirmed, that has
 * bounced, or that the page asked often enough within a day; the caller cannot tell the difference.
 *
 * @throws ServiceError `invalidBody` for a service or group that the page does not show.
 */
export async function requestSubscription(
  { sql, clock }: { sql: Sql; clock: Clock },
  input: SignUpInput,
): Promise<void> {
  await inTransaction(sql, (tx) => signUp(tx, { ...input, now: clock.now() }));
}

/** requestSubscription() in a transaction. Returns the email that it queued. `now` is in milliseconds since the epoch. */
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

/** Counts the emails that asked a subscriber for a confirmation: in the last 24 hours, and not sent yet. */
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
