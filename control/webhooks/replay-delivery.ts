import type { DeliveryState } from '../../contract/webhooks.js';
import type { DeliveryId, PageId, WebhookId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { recordChange } from '../audit/index.js';
import { sendAgain } from '../delivery/index.js';
import type { WebhookDeps } from './create-webhook.js';
import { parseWebhookId } from './find-webhooks.js';
import { noSuchDelivery, parseDeliveryId } from './list-deliveries.js';
import { deliveryQueue } from './queue.js';

/** Names one delivery: by its id, or by its id among the deliveries of a webhook of a page. */
export type DeliveryRef = { id: string; pageId?: PageId; webhookId?: string };

/** A delivery as it is before it is sent again. */
export type LockedDelivery = {
  id: DeliveryId;
  pageId: PageId;
  webhookId: WebhookId;
  kind: string;
  state: DeliveryState;
  /** Why the delivery is parked. */
  reason: string | null;
  /** Whether its webhook is disabled. */
  isDisabled: boolean;
};

/**
 * Makes a delivered or parked delivery pending again, with the same id, and starts its attempts over. It goes
 * before later pending deliveries of its incident.
 *
 * @throws ServiceError `notFound` when there is no such delivery, `conflict` when it is pending or its webhook is
 *   disabled; what `check` throws.
 */
export async function replayWebhookDelivery(
  { sql, clock, by }: WebhookDeps,
  { check, ...ref }: DeliveryRef & { check?: (delivery: LockedDelivery) => void },
): Promise<{ id: DeliveryId }> {
  return inTransaction(sql, async (tx) => {
    const delivery = await lockDelivery(tx, ref);
    check?.(delivery);
    const { id, pageId, kind, state, reason, isDisabled } = delivery;
    if (state === 'pending')
      throw new ServiceError('conflict', { message: 'The delivery is still pending.' });
    const now = clock.now();
    if (isDisabled) {
      throw new ServiceError('conflict', {
        message: 'The webhook of the delivery is disabled; enable it first.',
      });
    }
    await sendAgain(tx, deliveryQueue, { id, now });
    await recordChange(
      tx,
      { by, now },
      {
        ...{ pageId, action: 'delivery.replay', target: { type: 'delivery', id, name: kind } },
        before: { state, reason },
        after: { state: 'pending', reason: null },
      },
    );
    return { id };
  });
}

/** Deliveries of a deleted webhook are gone. @throws ServiceError `notFound` */
async function lockDelivery(
  tx: Transaction,
  { id, pageId, webhookId }: DeliveryRef,
): Promise<LockedDelivery> {
  const [delivery] = await tx<LockedDelivery[]>`
    select d.id, d.page_id as "pageId", d.webhook_id as "webhookId", d.kind, d.state, d.reason,
      w.disabled_at is not null as "isDisabled"
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.id = ${parseDeliveryId(id)} and w.deleted_at is null
      ${pageId === undefined ? tx`` : tx`and d.page_id = ${pageId}`}
      ${webhookId === undefined ? tx`` : tx`and d.webhook_id = ${parseWebhookId(webhookId)}`}
    for no key update of d`;
  if (delivery === undefined) throw noSuchDelivery(id);
  return delivery;
}
