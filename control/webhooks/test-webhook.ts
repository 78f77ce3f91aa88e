import { testKind } from '../../contract/webhooks.js';
import { type DeliveryId, newId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { recordWebhook } from './audit-webhook.js';
import { deliveryBody } from './compose-body.js';
import type { WebhookDeps } from './create-webhook.js';
import { lockWebhook, type Webhook, type WebhookRef } from './find-webhooks.js';

/**
 * Queues a small delivery without an incident, which shows whether a webhook works. The running service sends it.
 *
 * @throws ServiceError `notFound` when there is no such webhook, `conflict` when it is disabled; what `check` throws.
 */
export async function testWebhook(
  { sql, clock, by }: WebhookDeps,
  { check, ...ref }: WebhookRef & { check?: (webhook: Webhook) => void },
): Promise<{ deliveryId: DeliveryId }> {
  return inTransaction(sql, async (tx) => {
    const webhook = await lockWebhook(tx, ref);
    check?.(webhook);
    if (webhook.disabledAt !== null) {
      throw new ServiceError('conflict', { message: 'The webhook is disabled; enable it first.' });
    }
    const now = clock.now();
    const at = new Date(now);
    const deliveryId = newId<DeliveryId>(now);
    await tx`
      insert into webhook_deliveries (id, page_id, webhook_id, queue, kind, body, next_attempt_at, created_at)
      values (${deliveryId}, ${webhook.pageId}, ${webhook.id}, ${deliveryId}, ${testKind},
        ${deliveryBody(testKind, at, { webhookId: webhook.id })}, ${at}, ${at})`;
    const marks = { deliveryId };
    await recordWebhook(tx, { by, now }, { verb: 'test', before: webhook, after: webhook, marks });
    return { deliveryId };
  });
}
