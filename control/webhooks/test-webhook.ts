import { deliveryBody, testKind } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { type DeliveryId, newId, type PageId, type WebhookId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { noSuchWebhook, parseWebhookId } from './webhook.js';

/**
 * Queues a small delivery that tells of nothing, so that a person sees whether a webhook works; the running
 * service sends it.
 *
 * @throws ControlError when there is no such webhook, or it is disabled.
 */
export async function testWebhook(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<{ deliveryId: DeliveryId }> {
  const [webhook] = await sql<{ id: WebhookId; page_id: PageId; disabled_at: Date | null }[]>`
    select id, page_id, disabled_at from webhooks where id = ${parseWebhookId(id)}`;
  if (webhook === undefined) throw noSuchWebhook(id);
  if (webhook.disabled_at !== null) throw new ControlError('The webhook is disabled; enable it first.');
  const now = new Date(clock.now());
  const deliveryId = newId<DeliveryId>(now.getTime());
  await sql`
    insert into webhook_deliveries (id, page_id, webhook_id, queue, kind, body, next_attempt_at, created_at)
    values (${deliveryId}, ${webhook.page_id}, ${webhook.id}, ${deliveryId}, ${testKind},
      ${deliveryBody(testKind, now, { webhookId: webhook.id })}, ${now}, ${now})`;
  return { deliveryId };
}
