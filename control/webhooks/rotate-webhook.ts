import { secretContext, webhookLimits } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import type { WebhookId } from '../../lib/ids.js';
import { sealSecret } from '../../lib/secret-box.js';
import type { Sql } from '../../sql/open-postgres.js';
import { newWebhookSecret, noSuchWebhook, parseWebhookId } from './webhook.js';

export type RotatedWebhook = {
  id: WebhookId;
  /** The new one, `whsec_…`. */
  secret: string;
  /** Until then the previous one signs along. */
  previousSecretUntil: Date;
};

/**
 * Gives a webhook a new secret. Deliveries are signed with both for a day, so that no receiver refuses one while
 * it changes over; a secret from before an earlier rotation ends at once.
 *
 * @throws ControlError when there is no such webhook.
 */
export async function rotateWebhook(
  { sql, clock, secretKey }: { sql: Sql; clock: Clock; secretKey: string },
  { id }: { id: string },
): Promise<RotatedWebhook> {
  const webhookId = parseWebhookId(id);
  const secret = newWebhookSecret();
  const previousSecretUntil = new Date(clock.now() + webhookLimits.overlapHours * 3_600_000);
  const rotated = await sql`
    update webhooks set
      previous_secret = secret,
      previous_secret_until = ${previousSecretUntil},
      secret = ${sealSecret(secretKey, secretContext(webhookId), secret)}
    where id = ${webhookId}`;
  if (rotated.count === 0) throw noSuchWebhook(id);
  return { id: webhookId, secret, previousSecretUntil };
}
