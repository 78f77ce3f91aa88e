import type { DeliveryState } from '../../contract/webhooks.js';
import type { DeliveryId, IncidentId, PageId, WebhookId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { noSuchWebhook, parseWebhookId } from './webhook.js';
import type { WebhookDelivery } from './webhook-delivery.js';

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
 * The deliveries of a webhook, newest first, each with its last attempt that ended.
 *
 * @throws ControlError when there is no such webhook.
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
