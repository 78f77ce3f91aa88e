import type { Clock } from '../../lib/clock.js';
import type { DeliveryId, PageId, WebhookId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** A delivery whose attempt is this instance's to make. */
export type ClaimedDelivery = {
  id: DeliveryId;
  page_id: PageId;
  webhook_id: WebhookId;
  kind: string;
  body: string;
  /** Number of this attempt, from 1; no other attempt of the delivery ever has it. */
  attempts: number;
  attempts_before: number;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
};

/** How many attempts this instance may start now, and how many it has under way, by webhook. */
export type Room = { free: number; perWebhook: number; busy: ReadonlyMap<WebhookId, number> };

/** Longer than an attempt takes, and clocks of instances differ by some seconds. */
const leaseMs = 60_000;

/**
 * Claims deliveries that are due, as many as there is room for, the longest due first. Of a queue, which is one
 * incident to one webhook, only the first that is pending is ever claimed, and only once every earlier
 * announcement of the incident is queued (queue-webhooks.ts says why).
 *
 * The heads of the queues are found by stepping through the index from one to the next, so that a receiver that
 * is down for a day and thousands of deliveries behind costs no more than its number of incidents.
 */
export async function claimDeliveries(
  { sql, clock }: { sql: Sql; clock: Clock },
  { free, perWebhook, busy }: Room,
): Promise<ClaimedDelivery[]> {
  const now = clock.now();
  const due = sql`
    d.state = 'pending' and d.next_attempt_at <= ${new Date(now)}
    and (d.claimed_until is null or d.claimed_until <= ${new Date(now)})`;
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
    ), ready as (
      select d.id, d.next_attempt_at, coalesce(busy.attempts, 0) + row_number() over (
        partition by d.webhook_id order by d.next_attempt_at, d.seq) as place
      from head
        join webhook_deliveries d on d.id = head.id
        join webhooks w on w.id = d.webhook_id and w.disabled_at is null
        left join unnest(${[...busy.keys()]}::uuid[], ${[...busy.values()]}::integer[]) as busy(webhook_id, attempts)
          on busy.webhook_id = d.webhook_id
      where ${due} and not exists (
        select 1 from announcements a
        where a.incident_id = d.queue and a.seq < d.seq and a.webhooks_queued_at is null)
    ), picked as (
      select d.id from webhook_deliveries d
      where d.id in (select id from ready where place <= ${perWebhook} order by next_attempt_at limit ${free})
        -- Again: of rows that another instance has claimed meanwhile, the database looks at this part anew.
        and ${due}
      for update skip locked
    )
    update webhook_deliveries d set claimed_until = ${new Date(now + leaseMs)}, attempts = d.attempts + 1
    from picked, webhooks w
    where d.id = picked.id and w.id = d.webhook_id
    returning d.id, d.page_id, d.webhook_id, d.kind, d.body, d.attempts, d.attempts_before,
      w.url, w.secret, w.previous_secret, w.previous_secret_until`;
}
