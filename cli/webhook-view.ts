import type { Webhook, WebhookDelivery } from '../control/webhooks/index.js';

/** A webhook as `--json` prints it. */
export function webhookJson(webhook: Webhook): object {
  return {
    id: webhook.id,
    url: webhook.url,
    createdAt: webhook.createdAt.toISOString(),
    previousSecretUntil: webhook.previousSecretUntil?.toISOString() ?? null,
    disabledAt: webhook.disabledAt?.toISOString() ?? null,
    disabledReason: webhook.disabledReason,
  };
}

/** A delivery as `--json` prints it. */
export function deliveryJson(delivery: WebhookDelivery): object {
  const { lastAttempt } = delivery;
  return {
    id: delivery.id,
    incidentId: delivery.incidentId,
    kind: delivery.kind,
    state: delivery.state,
    reason: delivery.reason,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
    attempts: delivery.attempts,
    lastAttempt: lastAttempt && { ...lastAttempt, at: lastAttempt.at.toISOString() },
  };
}
