import { type DeliveryState, testKind } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import {
  type DeliveryId,
  type IncidentId,
  newId,
  type PageId,
  parseId,
  type WebhookId,
} from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';
import { deliveryBody } from './bodies.js';
import { noSuchWebhook, parseWebhookId } from './webhooks.js';

/** A delivery as lists show it. */
export type WebhookDelivery = {
  id: DeliveryId;
  pageId: PageId;
  webhookId: WebhookId;
  /** `null` for a test delivery. */
  incidentId: IncidentId | null;
  kind: string;
  state: DeliveryState;
  /** Why the delivery is parked. */
  reason: string | null;
  createdAt: Date;
  /** `null` unless the delivery is pending. */
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
  /** Attempts that were started, those before a replay included. */
  attempts: number;
  lastAttempt: WebhookAttempt | null;
};

export type WebhookAttempt = {
  at: Date;
  durationMs: number;
  /** `null` when the receiver did not answer. */
  status: number | null;
  /** A class, a colon and a sentence; `null` when the attempt succeeded. */
  error: string | null;
  /** Start of the receiver's answer. */
  answer: string | null;
};

type Row = {
  id: DeliveryId;
  page_id: PageId;
  webhook_id: WebhookId;
  incident_id: IncidentId | null;
  kind: string;
  state: DeliveryState;
  reason: string | null;
  created_at: Date;
  next_attempt_at: Date;
  finished_at: Date | null;
  attempts: number;
  at: Date | null;
  duration_ms: number;
  status: number | null;
  error: string | null;
  answer: string | null;
};

/**
 * Lists the deliveries of a webhook, newest first, each with the last attempt that ended.
 *
 * @throws ServiceError `notFound` when there is no such webhook.
 */
export async function listWebhookDeliveries(
  { sql }: { sql: Sql },
  { id, state, limit }: { id: string; state: DeliveryState | undefined; limit: number },
): Promise<WebhookDelivery[]> {
  const [webhook] = await sql<{ id: WebhookId; page_id: PageId }[]>`
    select id, page_id from webhooks where id = ${parseWebhookId(id)}`;
  if (webhook === undefined) throw noSuchWebhook(id);
  const rows = await sql<Row[]>`
    select d.id, d.page_id, d.webhook_id, a.incident_id, d.kind, d.state, d.reason, d.created_at,
      d.next_attempt_at, d.finished_at, d.attempts, last.at, last.duration_ms, last.status, last.error, last.answer
    from webhook_deliveries d
      left join announcements a on a.id = d.announcement_id
      left join lateral (
        select at, duration_ms, status, error, answer from webhook_attempts
        where delivery_id = d.id order by attempt desc limit 1
      ) last on true
    where d.page_id = ${webhook.page_id} and d.webhook_id = ${webhook.id}
      ${state === undefined ? sql`` : sql`and d.state = ${state}`}
    order by d.created_at desc, d.seq desc limit ${limit}`;
  return rows.map(toDelivery);
}

/**
 * Makes a delivered or parked delivery pending again, with the same id, and starts its attempts over. It goes
 * before later pending deliveries of its incident.
 *
 * @throws ServiceError `notFound` when there is no such delivery, `conflict` when it is pending or its webhook is
 *   disabled.
 */
export async function replayWebhookDelivery(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<{ id: DeliveryId }> {
  const deliveryId = parseId<DeliveryId>(id);
  if (deliveryId === undefined) throw noSuchDelivery(id);
  const [replayed] = await sql<{ id: DeliveryId }[]>`
    update webhook_deliveries d
    set state = 'pending', reason = null, finished_at = null, attempts_before = attempts,
      next_attempt_at = ${new Date(clock.now())}
    from webhooks w
    where d.id = ${deliveryId} and d.state <> 'pending'
      and w.id = d.webhook_id and w.disabled_at is null
    returning d.id`;
  if (replayed !== undefined) return replayed;
  const [delivery] = await sql<{ state: string }[]>`
    select state from webhook_deliveries where id = ${deliveryId}`;
  if (delivery === undefined) throw noSuchDelivery(id);
  throw new ServiceError('conflict', {
    message:
      delivery.state === 'pending'
        ? 'The delivery is still pending.'
        : 'The webhook of the delivery is disabled; enable it first.',
  });
}

/**
 * Queues a small delivery without an incident, which shows whether a webhook works. The running service sends it.
 *
 * @throws ServiceError `notFound` when there is no such webhook, `conflict` when it is disabled.
 */
export async function testWebhook(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<{ deliveryId: DeliveryId }> {
  const [webhook] = await sql<{ id: WebhookId; page_id: PageId; disabled_at: Date | null }[]>`
    select id, page_id, disabled_at from webhooks where id = ${parseWebhookId(id)}`;
  if (webhook === undefined) throw noSuchWebhook(id);
  if (webhook.disabled_at !== null) {
    throw new ServiceError('conflict', { message: 'The webhook is disabled; enable it first.' });
  }
  const now = new Date(clock.now());
  const deliveryId = newId<DeliveryId>(now.getTime());
  await sql`
    insert into webhook_deliveries (id, page_id, webhook_id, queue, kind, body, next_attempt_at, created_at)
    values (${deliveryId}, ${webhook.page_id}, ${webhook.id}, ${deliveryId}, ${testKind},
      ${deliveryBody(testKind, now, { webhookId: webhook.id })}, ${now}, ${now})`;
  return { deliveryId };
}

/** Deletes the deliveries that ended before `before`, with their attempts. Returns how many. */
export async function pruneDeliveries(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries
        where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
        and finished_at < ${before}`;
    return count;
  });
}

function toDelivery(row: Row): WebhookDelivery {
  const { at, duration_ms: durationMs, status, error, answer } = row;
  return {
    id: row.id,
    pageId: row.page_id,
    webhookId: row.webhook_id,
    incidentId: row.incident_id,
    kind: row.kind,
    state: row.state,
    reason: row.reason,
    createdAt: row.created_at,
    nextAttemptAt: row.state === 'pending' ? row.next_attempt_at : null,
    finishedAt: row.finished_at,
    attempts: row.attempts,
    lastAttempt: at === null ? null : { at, durationMs, status, error, answer },
  };
}

function noSuchDelivery(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no delivery with the id "${id}".` });
}
