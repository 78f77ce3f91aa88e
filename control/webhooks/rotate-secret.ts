import { webhookLimits } from '../../contract/webhooks.js';
import { hourMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';
import { recordWebhook } from './audit-webhook.js';
import type { Checked } from './change-webhook.js';
import { type CreatedWebhook, newSecret, type WebhookDeps } from './create-webhook.js';
import { lockWebhook, type Webhook, type WebhookRef } from './find-webhooks.js';
import { openWebhookSecret } from './sign-a-body.js';

/**
 * Gives a webhook a new secret. For a day, deliveries are signed with both secrets, so that the receiver refuses none
 * while it switches. A secret from before an earlier rotation stops at once, and one that no key opens is not kept.
 *
 * @throws ServiceError `notFound` when there is no such webhook; what `check` throws.
 */
export async function rotateWebhook(
  { sql, clock, by, secretKey }: WebhookDeps & { secretKey: string },
  { check, ...ref }: WebhookRef & Checked,
): Promise<CreatedWebhook> {
  return inTransaction(sql, async (tx) => {
    const before = await lockWebhook(tx, ref);
    check?.(before);
    const now = clock.now();
    const secret = newSecret();
    const previous = await loadOpenSecret(tx, secretKey, before);
    const previousSecretUntil =
      previous === null ? null : new Date(now + webhookLimits.overlapHours * hourMs);
    await tx`
      update webhooks set
        previous_secret = ${previous},
        previous_secret_until = ${previousSecretUntil},
        secret = ${sealColumn(secretKey, 'webhook', before.id, secret)}
      where page_id = ${before.pageId} and id = ${before.id}`;
    const after = { ...before, previousSecretUntil };
    const marks = { secretChanged: true };
    await recordWebhook(tx, { by, now }, { verb: 'rotate', before, after, marks });
    return { ...after, secret };
  });
}

/** The sealed secret of a webhook that the caller has locked; null when no key opens it, so that it can sign nothing. */
async function loadOpenSecret(
  tx: Transaction,
  secretKey: string,
  { id, pageId }: Webhook,
): Promise<Buffer | null> {
  const [row] = await tx<{ secret: Buffer }[]>`
    select secret from webhooks where page_id = ${pageId} and id = ${id}`;
  if (row === undefined || openWebhookSecret(secretKey, id, row.secret) === undefined) return null;
  return row.secret;
}
