import { nextAskedAt } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import { type DeliveryId, newId, type WebhookId } from '../../lib/ids.js';
import type { Room } from '../../lib/outbound/attempt-pool.js';
import { isUnclaimed, runningAttempts } from '../../sql/claim.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Announcement, lockAnnouncementsForWebhooks, markWebhooksQueued } from '../incidents/index.js';
import type { AttemptOutcome, ClaimedDelivery } from './delivery.js';
import { filtersFor } from './events.js';
import { deliverySchedule, leaseMs } from './schedule.js';
import { lockPageForNotice, type QueueNotice, tellOwners } from './tell-owners.js';
import { disableGoneWebhook } from './webhooks.js';

/** Each becomes one row for each webhook of its page, up to 50. */
const announcementsPerRun = 20;

type Deps = { sql: Sql; clock: Clock };

/** What happens to a delivery after an attempt. */
type Next = { state: 'delivered' | 'pending' | 'parked'; next_attempt_at?: Date; reason: string | null };

/**
 * Turns announcements into deliveries, one for each webhook that the page had when the change was made and whose filter
 * lets the event through, and marks the announcements as queued. Returns whether there were any.
 *
 * Instances do this at the same time and skip the announcements that another one has locked. So a later announcement
 * of an incident may be queued before an earlier one commits. The order holds all the same: a delivery has the `seq`
 * of its announcement, and claimDeliveries() claims none while an earlier announcement of the incident is not queued.
 * An instance that sees the later announcement also sees the earlier ones, because their transactions ran one after
 * another under the lock of the incident. A delivery has the time of its announcement too, so that a list shows the
 * deliveries in the order of the changes, whatever the order in which they were queued.
 */
export async function queueDeliveries({ sql, clock }: Deps): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const announcements = await lockAnnouncementsForWebhooks(tx, { max: announcementsPerRun, now });
    if (announcements.length === 0) return false;
    for (const announcement of announcements) await insertDeliveries(tx, announcement, now);
    const ids = announcements.map(({ id }) => id);
    await markWebhooksQueued(tx, ids, now);
    return true;
  });
}

async function insertDeliveries(tx: Transaction, announcement: Announcement, now: number): Promise<void> {
  const { id, page_id, incident_id, seq, kind, created_at } = announcement;
  const webhooks = await tx<{ id: WebhookId }[]>`
    select id from webhooks
    where page_id = ${page_id} and disabled_at is null and created_at <= ${created_at}
      and (events is null or events && ${filtersFor(kind)}::text[])`;
  if (webhooks.length === 0) return;
  const ids = webhooks.map(() => newId<DeliveryId>(now));
  await tx`
    insert into webhook_deliveries
      (id, page_id, webhook_id, announcement_id, queue, seq, kind, next_attempt_at, created_at)
    select delivery.id, ${page_id}, delivery.webhook_id, ${id}, ${incident_id}, ${seq}, ${kind},
      ${new Date(now)}, ${created_at}
    from unnest(${ids}::uuid[], ${webhooks.map((webhook) => webhook.id)}::uuid[]) as delivery(id, webhook_id)
    on conflict on constraint webhook_deliveries_once do nothing`;
}

/**
 * Claims due deliveries: up to `free` in all, `perKey` for each webhook and `perPage` for each page. Pages take turns, and
 * the webhooks of a page: what one of them has waiting delays the others by an attempt at most. A queue holds the
 * deliveries of one incident to one webhook: only its first pending delivery is claimed, and only when every earlier
 * announcement of the incident is queued.
 *
 * The query steps through the index from the head of one queue to the next, so that a receiver that has been down for
 * a day, with thousands of pending deliveries, costs only as much as its number of incidents.
 */
export async function claimDeliveries(
  { sql, clock }: Deps,
  { free, perKey, busy, perPage, busyPages }: Room<WebhookId>,
): Promise<ClaimedDelivery[]> {
  const now = clock.now();
  const due = sql`
    d.state = 'pending' and d.next_attempt_at <= ${new Date(now)}
    and ${isUnclaimed(sql, 'd.claimed_until', { now, leaseMs })}`;
  return sql<ClaimedDelivery[]>`
    with recursive head as (
      (select id, webhook_id, queue from webhook_deliveries where state = 'pending'
       order by webhook_id, queue, seq limit 1)
      union all
      select next.id, next.webhook_id, next.queue
      from head cross join lateral (
        select id, webhook_id, queue from webhook_deliveries
        where state = 'pending' and (webhook_id, queue) > (head.webhook_id, head.queue)
        order by webhook_id, queue, seq limit 1
      ) next
    ), of_webhook as (
      select d.id, d.page_id, d.next_attempt_at, d.seq, coalesce(running.attempts, 0) + row_number() over (
        partition by d.webhook_id order by d.next_attempt_at, d.seq) as place
      from head
        join webhook_deliveries d on d.id = head.id
        join webhooks w on w.id = d.webhook_id and w.disabled_at is null
        left join ${runningAttempts(sql, busy)} as running(webhook_id, attempts)
          on running.webhook_id::uuid = d.webhook_id
      where ${due} and not exists (
        select 1 from announcements a
        where a.incident_id = d.queue and a.seq < d.seq and a.webhooks_queued_at is null)
    ), of_page as (
      select o.id, o.next_attempt_at, coalesce(running.attempts, 0) + row_number() over (
        partition by o.page_id order by o.place, o.next_attempt_at, o.seq) as place
      from of_webhook o
        left join ${runningAttempts(sql, busyPages)} as running(page_id, attempts) on running.page_id::uuid = o.page_id
      where o.place <= ${perKey}
    ), picked as (
      select d.id from webhook_deliveries d
      where d.id in (select id from of_page where place <= ${perPage} order by place, next_attempt_at limit ${free})
        -- Repeated, because the server checks this condition again on rows that another instance has just claimed.
        and ${due}
      for update skip locked
    )
    update webhook_deliveries d set claimed_until = ${new Date(now + leaseMs)}, attempts = d.attempts + 1
    from picked, webhooks w
    where d.id = picked.id and w.id = d.webhook_id
    returning d.id, d.page_id, d.webhook_id, d.kind, d.announcement_id, d.body, d.attempts, d.attempts_before,
      w.url, w.secret, w.previous_secret, w.previous_secret_until`;
}

/** What became of a delivery and its webhook. */
export type Recorded = {
  /** `deleted` when the webhook was deleted during the attempt, and the delivery with it. */
  state: Next['state'] | 'deleted';
  /** This attempt disabled the webhook. */
  disabled: boolean;
  /** Emails to the owners of the page were queued. */
  told: boolean;
};

/**
 * Records an attempt and the state of its delivery, which it returns. When the claim has expired and another attempt
 * has started, the delivery keeps the state of that attempt.
 *
 * @param deps.queueNotice when absent, no owner gets an email
 */
export async function recordAttempt(
  { sql, clock, queueNotice }: Deps & { queueNotice?: QueueNotice | undefined },
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
): Promise<Recorded> {
  const now = clock.now();
  const next = decide(delivery, outcome, now);
  return inTransaction(sql, async (tx) => {
    const [stored] = await tx`select 1 from webhook_deliveries where id = ${delivery.id} for key share`;
    if (stored === undefined) return { state: 'deleted', disabled: false, told: false };
    await tx`
      insert into webhook_attempts (delivery_id, attempt, at, duration_ms, status, error, answer)
      values (${delivery.id}, ${delivery.attempts}, ${new Date(outcome.at)}, ${outcome.durationMs},
        ${outcome.status}, ${outcome.error}, ${outcome.answer})`;
    const finished_at = next.state === 'pending' ? null : new Date(now);
    const { count } = await tx`
      update webhook_deliveries set ${tx({ ...next, finished_at, claimed_until: null })}
      where id = ${delivery.id} and state = 'pending' and attempts = ${delivery.attempts}`;
    const parked = next.state === 'parked' && count === 1;
    const notify = parked && (await lockPageForNotice(tx, delivery.page_id)) ? queueNotice : undefined;
    const gone = { id: delivery.webhook_id, pageId: delivery.page_id, now };
    const disabled = outcome.gone && (await disableGoneWebhook(tx, gone));
    const told = notify !== undefined && (await tellOwners(tx, notify, { delivery, outcome, now }));
    return { state: next.state, disabled, told };
  });
}

/** Releases the claim of a delivery whose attempt was cut short. It is due at once, and the attempt does not count. */
export async function releaseDelivery({ sql }: { sql: Sql }, delivery: ClaimedDelivery): Promise<void> {
  await sql`
    update webhook_deliveries set claimed_until = null, attempts = attempts - 1
    where id = ${delivery.id} and state = 'pending' and attempts = ${delivery.attempts}`;
}

/**
 * Makes the attempts of deliveries that were not sent not count. The claims stay, so that these deliveries are due when
 * the claims end, and not at once.
 */
export async function giveBackAttempts(
  { sql }: { sql: Sql },
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map(({ id }) => id);
  await sql`
    update webhook_deliveries d set attempts = d.attempts - 1
    from unnest(${ids}::uuid[], ${deliveries.map(({ attempts }) => attempts)}::integer[]) as unsent(id, attempts)
    where d.id = unsent.id and d.state = 'pending' and d.attempts = unsent.attempts`;
}

function decide(delivery: ClaimedDelivery, { error, gone, askedAt }: AttemptOutcome, now: number): Next {
  if (error === null) return { state: 'delivered', reason: null };
  if (gone) return { state: 'parked', reason: 'The receiver answered 410 Gone.' };
  const attempts = delivery.attempts - delivery.attempts_before;
  const at = nextAskedAt(deliverySchedule, attempts, { now, askedAt });
  if (at !== undefined) return { state: 'pending', next_attempt_at: new Date(at), reason: null };
  return { state: 'parked', reason: `Given up after ${attempts} attempts. The last one: ${error}` };
}
