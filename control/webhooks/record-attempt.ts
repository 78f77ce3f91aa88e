import { countedDeliveriesMax, type WebhookNotice } from '../../contract/webhooks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import {
  type Attempted,
  lockPageForNote,
  noteToOwners,
  type QueueNotice,
  type Recorded,
  settle,
} from '../delivery/index.js';
import { disableGoneWebhook } from './change-webhook.js';
import { type ClaimedDelivery, deliveryQueue } from './queue.js';
import type { DeliveryOutcome } from './send-delivery.js';

type Deps = {
  sql: Sql;
  /** When absent, no owner gets an email. */
  queueNotice?: QueueNotice<WebhookNotice> | undefined;
};

/**
 * Records an attempt, and the state of its delivery. A receiver that is gone disables its webhook. The owners of the page get
 * an email when a delivery is parked.
 */
export async function recordAttempt(
  { sql, queueNotice }: Deps,
  delivery: ClaimedDelivery,
  attempted: Attempted<DeliveryOutcome>,
): Promise<Recorded & { disabled?: boolean }> {
  const { outcome, next, now } = attempted;
  const { id, webhookId, pageId } = delivery;
  return inTransaction(sql, async (tx) => {
    const [stored] = await tx`select 1 from webhook_deliveries where id = ${id} for key share`;
    // The webhook was deleted during the attempt, and the delivery with it.
    if (stored === undefined) return {};
    await tx`
      insert into webhook_attempts (delivery_id, attempt, at, duration_ms, status, error, answer)
      values (${id}, ${delivery.attempts}, ${new Date(outcome.at)}, ${outcome.durationMs}, ${outcome.status},
        ${outcome.error}, ${outcome.answer})`;
    const counts = (await settle(tx, deliveryQueue, [delivery], attempted)) === 1;
    const parked = next.state === 'parked';
    if (parked) await lockPageForNote(tx, pageId);
    const disabled = !outcome.mayRepeat && (await disableGoneWebhook(tx, { id: webhookId, pageId, now }));
    if (!parked || !counts || queueNotice === undefined) return { parked, disabled };
    // One note more than usual says that the webhook was disabled, because changes are lost from then on.
    const what = outcome.mayRepeat ? 'parked' : 'disabled';
    const told = await noteToOwners(
      tx,
      queueNotice,
      { table: 'webhooks', id: webhookId, pageId },
      {
        load: () => loadNotice(tx, delivery, outcome),
        ...{ now, columns: { owners_told_of: what } },
        orWhen: tx`(${what} = 'disabled' and owners_told_of = 'parked')`,
      },
    );
    return { parked, disabled, told };
  });
}

async function loadNotice(
  tx: Transaction,
  { webhookId, url, attempts, attemptsBefore }: ClaimedDelivery,
  { at, status, error, mayRepeat }: DeliveryOutcome,
): Promise<WebhookNotice> {
  const [parked] = await tx<{ count: number }[]>`
    select count(*)::integer as count from (
      select 1 from webhook_deliveries where webhook_id = ${webhookId} and state = 'parked'
      limit ${countedDeliveriesMax + 1}) counted`;
  return {
    ...{ what: mayRepeat ? 'parked' : 'disabled', webhookId, origin: new URL(url).origin },
    ...{ attempts: attempts - attemptsBefore, parked: parked?.count ?? 1 },
    lastAttempt: { at: new Date(at).toISOString(), status, error: error ?? '' },
  };
}
