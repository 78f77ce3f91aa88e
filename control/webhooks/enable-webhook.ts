import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import {
  checkRoomForWebhook,
  noSuchWebhook,
  parseWebhookId,
  toWebhook,
  type Webhook,
  type WebhookRow,
} from './webhook.js';

/**
 * Lets a disabled webhook go on: first with what was pending, then with what changes from now on.
 *
 * @throws ControlError when there is no such webhook, or its page has too many.
 */
export async function enableWebhook({ sql }: { sql: Sql }, { id }: { id: string }): Promise<Webhook> {
  return inTransaction(sql, async (tx) => {
    const [before] = await tx<WebhookRow[]>`
      select id, page_id, url, created_at, previous_secret_until, disabled_at, disabled_reason
      from webhooks where id = ${parseWebhookId(id)}`;
    if (before === undefined) throw noSuchWebhook(id);
    if (before.disabled_at === null) return toWebhook(before);
    await checkRoomForWebhook(tx, before.page_id);
    await tx`
      update webhooks set disabled_at = null, disabled_reason = null
      where page_id = ${before.page_id} and id = ${before.id}`;
    return toWebhook({ ...before, disabled_at: null, disabled_reason: null });
  });
}
