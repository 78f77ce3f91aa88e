import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import type { Webhook } from './find-webhooks.js';

type Verb = 'create' | 'update' | 'disable' | 'enable' | 'rotate' | 'delete' | 'test';

/**
 * Writes the row of a change of a webhook into the audit log. `marks` are further fields of the state after the change,
 * such as `secretChanged`.
 */
export async function recordWebhook(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { verb, before, after, marks }: WebhookChange,
): Promise<void> {
  const webhook = after ?? before;
  const urlChanged = before !== null && after !== null && before.url !== after.url;
  await recordChange(tx, audit, {
    pageId: webhook.pageId,
    action: `webhook.${verb}`,
    target: { type: 'webhook', id: webhook.id, name: new URL(webhook.url).origin },
    before: before && auditedFields(before),
    after: after && { ...auditedFields(after), ...(urlChanged && { urlChanged }), ...marks },
  });
}

type WebhookChange = { verb: Verb; marks?: Readonly<Record<string, unknown>> } & (
  | { before: Webhook | null; after: Webhook }
  | { before: Webhook; after: null }
);

/** The log has the origin of a URL alone: the rest is the secret of many receivers. */
function auditedFields({ url, events, disabledReason, previousSecretUntil, disabledAt }: Webhook) {
  return {
    ...{ origin: new URL(url).origin, events, enabled: disabledAt === null },
    ...{ disabledReason, previousSecretUntil },
  };
}
