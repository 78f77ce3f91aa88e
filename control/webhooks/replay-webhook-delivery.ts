import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { type DeliveryId, parseId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Makes a delivery that was delivered or parked pending again, with the same id and body and all its attempts
 * before it. It goes before later ones of its incident that are still pending.
 *
 * @throws ControlError when there is no such delivery, it is pending, or its webhook is disabled.
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
  throw new ControlError(
    delivery.state === 'pending'
      ? 'The delivery is still pending.'
      : 'The webhook of the delivery is disabled; enable it first.',
  );
}

function noSuchDelivery(id: string): ControlError {
  return new ControlError(`There is no delivery with the id "${id}".`);
}
