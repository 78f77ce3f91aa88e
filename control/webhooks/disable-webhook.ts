import type { Clock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';
import { noSuchWebhook, parseWebhookId, toWebhook, type Webhook, type WebhookRow } from './webhook.js';

/**
 * Stops a webhook: nothing more is queued for it, and what is pending waits. One that is disabled already keeps
 * its time and its reason.
 *
 * @throws ControlError when there is no such webhook.
 */
export async function disableWebhook(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<Webhook> {
  const [row] = await sql<WebhookRow[]>`
    update webhooks set
      disabled_at = coalesce(disabled_at, ${new Date(clock.now())}),
      disabled_reason = coalesce(disabled_reason, 'Disabled by hand.')
    where id = ${parseWebhookId(id)}
    returning id, page_id, url, created_at, previous_secret_until, disabled_at, disabled_reason`;
  if (row === undefined) throw noSuchWebhook(id);
  return toWebhook(row);
}
