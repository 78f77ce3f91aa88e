import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { recordWebhook } from './audit-webhook.js';
import type { Checked } from './change-webhook.js';
import type { WebhookDeps } from './create-webhook.js';
import { loadWebhook, lockWebhook, parseWebhookId, type WebhookRef } from './find-webhooks.js';

/**
 * Deletes a webhook with its pending deliveries and its secrets. Its past deliveries are no longer to be seen; a job
 * removes them, because a transaction of them all could take minutes.
 *
 * @throws ServiceError `notFound` when there is no such webhook; what `check` throws.
 */
export async function deleteWebhook(
  { sql, clock, by }: WebhookDeps,
  { check, ...ref }: WebhookRef & Checked,
): Promise<void> {
  const id = parseWebhookId(ref.id);
  const { pageId } = await loadWebhook({ sql }, ref);
  await inTransaction(sql, async (tx) => {
    // Before the webhook is locked, as in the transactions that record an attempt.
    await tx`
      delete from webhook_deliveries where page_id = ${pageId} and webhook_id = ${id} and state = 'pending'`;
    const before = await lockWebhook(tx, { id, pageId });
    check?.(before);
    const now = clock.now();
    await tx`
      update webhooks set
        deleted_at = ${new Date(now)}, secret = '', previous_secret = null, previous_secret_until = null,
        disabled_at = coalesce(disabled_at, ${new Date(now)}),
        disabled_reason = coalesce(disabled_reason, 'Deleted.')
      where page_id = ${pageId} and id = ${id}`;
    await recordWebhook(tx, { by, now }, { verb: 'delete', before, after: null });
  });
}

/** Removes deleted webhooks: their deliveries in parts, so that no statement takes long, then the webhooks. */
export async function removeDeletedWebhooks(sql: Sql): Promise<void> {
  await deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from webhook_deliveries where id in (
        select d.id from webhooks w join webhook_deliveries d on d.webhook_id = w.id
        where w.deleted_at is not null limit ${chunkRows})`;
    return count;
  });
  await sql`delete from webhooks where deleted_at is not null`;
}

/** Deletes the deliveries that ended before `before`, with their attempts. Returns how many. */
export async function pruneDeliveries(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries
        where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
        and finished_at < ${before}`;
    return count;
  });
}
