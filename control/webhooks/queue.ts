import type { AttemptSchedule } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import { type AnnouncementId, type DeliveryId, newId, type PageId, type WebhookId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import type { Claim, Queue } from '../delivery/index.js';
import { type Announcement, lockAnnouncementsForWebhooks, markWebhooksQueued } from '../incidents/index.js';
import { filtersFor } from './event-filter.js';

/** Limit of a whole attempt: resolving, connecting, sending and reading the answer. */
export const attemptTimeoutMs = 20 * secondMs;
/** Time after a claim in which an attempt may start. Composing the bodies of a claim may take as long as its queries may. */
export const startWithinMs = 30 * secondMs;

/**
 * Ten attempts in 76 to 83 hours: the pauses that the Standard Webhooks specification recommends. A receiver that fails
 * on a Friday evening is tried until Monday night.
 */
const schedule: AttemptSchedule = {
  pausesSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  jitter: 0.1,
};

/** The deliveries of webhooks. Deliveries of one incident to one webhook follow each other; all others pass. */
export const deliveryQueue: Queue = {
  ...{ table: 'webhook_deliveries', schedule, selectHeads, selectClaimed, numbersAttempts: true },
  /** An attempt ends at most 50 s after its claim, whatever the clock of another instance says. */
  leaseMs: startWithinMs + attemptTimeoutMs + clocksDifferMsMax,
  reasonOf({ error, mayRepeat }, { state, attempts }) {
    if (state === 'pending') return null;
    return mayRepeat
      ? `Given up after ${attempts} attempts. The last one: ${error}`
      : 'The receiver answered 410 Gone.';
  },
};

/** A delivery that this instance alone may attempt until its lease ends. */
export type ClaimedDelivery = {
  id: DeliveryId;
  pageId: PageId;
  webhookId: WebhookId;
  /** `null` for a test. */
  announcementId: AnnouncementId | null;
  /** The body of a test; `null` for all others. */
  body: string | null;
  /** Number of this attempt, from 1. Unique among the attempts of the delivery. */
  attempts: number;
  /** Attempts before the last replay. */
  attemptsBefore: number;
  url: string;
  secret: Buffer;
  previousSecret: Buffer | null;
  previousSecretUntil: Date | null;
};

/**
 * A queue holds the deliveries of one incident to one webhook: only its first pending delivery may be attempted, and only
 * when every earlier announcement of the incident is queued. The query steps through the index from the head of one queue
 * to the next, so that a receiver that has been down for a day, with thousands of pending deliveries, costs only as much
 * as its number of incidents.
 */
function selectHeads({ sql, isDue }: Claim): Fragment {
  return sql`
    queue_head (id, webhook_id, queue) as (
      (select id, webhook_id, queue from webhook_deliveries where state = 'pending'
       order by webhook_id, queue, seq limit 1)
      union all
      select next.id, next.webhook_id, next.queue
      from queue_head h cross join lateral (
        select id, webhook_id, queue from webhook_deliveries
        where state = 'pending' and (webhook_id, queue) > (h.webhook_id, h.queue)
        order by webhook_id, queue, seq limit 1
      ) next
    ), head as (
      select d.id, d.page_id, d.webhook_id::text as key, d.next_attempt_at, d.seq,
        coalesce(busy_key.attempts, 0) + row_number() over (
          partition by d.webhook_id order by d.next_attempt_at, d.seq) as turn
      from queue_head h
        join webhook_deliveries d on d.id = h.id
        join webhooks w on w.id = d.webhook_id and w.disabled_at is null
        left join busy_key on busy_key.key = d.webhook_id::text
      where ${isDue('d')} and not exists (
        select 1 from announcements a
        where a.incident_id = d.queue and a.seq < d.seq and a.webhooks_queued_at is null)
    )`;
}

function selectClaimed(sql: Sql): Fragment {
  return sql`
    select d.id, d.page_id as "pageId", d.webhook_id as "webhookId", d.announcement_id as "announcementId", d.body,
      d.attempts, d.attempts_before as "attemptsBefore", w.url, w.secret, w.previous_secret as "previousSecret",
      w.previous_secret_until as "previousSecretUntil"
    from claimed d join webhooks w on w.id = d.webhook_id`;
}

/** Each becomes one row for each webhook of its page, up to 50. */
const announcementsPerRun = 20;

/**
 * Turns announcements into deliveries, one for each webhook that the page had when the change was made and whose filter
 * lets the event through, and marks the announcements as queued. Returns whether there were any.
 *
 * Instances do this at the same time and skip the announcements that another one has locked. So a later announcement
 * of an incident may be queued before an earlier one commits. The order holds all the same: a delivery has the `seq`
 * of its announcement, and none is claimed while an earlier announcement of the incident is not queued.
 * An instance that sees the later announcement also sees the earlier ones, because their transactions ran one after
 * another under the lock of the incident. A delivery has the time of its announcement too, so that a list shows the
 * deliveries in the order of the changes, whatever the order in which they were queued.
 */
export async function queueDeliveries({ sql, clock }: { sql: Sql; clock: Clock }): Promise<boolean> {
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
