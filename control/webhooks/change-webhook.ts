import type { PageId, WebhookId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, jobActor } from '../audit/index.js';
import { recordWebhook } from './audit-webhook.js';
import { checkRoomForWebhook, lockPage, parseFilter, parseUrl, type WebhookDeps } from './create-webhook.js';
import { loadWebhook, lockWebhook, type Webhook, type WebhookRef, webhookColumns } from './find-webhooks.js';

type Audit = { by: Actor; now: number };

/** Gets the webhook as it is, in the transaction of the change, and may refuse the change by an error. */
export type Checked = { check?: (webhook: Webhook) => void };

export type WebhookChanges = {
  url?: string;
  /** Names of events; see parseEvents(). null for every event. */
  events?: readonly string[] | null;
  /** See enableWebhook() and disableWebhook(). */
  enabled?: boolean;
};

/**
 * Changes where a webhook delivers to, which events, and whether it delivers. Another URL gets the pending deliveries as
 * well; other events count for the changes that are announced from now on.
 *
 * @throws ServiceError `notFound` when there is no such webhook, `invalidBody` when the URL or an event cannot be used,
 *   `conflict` when it is enabled and its page has too many; what `check` throws.
 */
export async function changeWebhook(
  { sql, clock, by }: WebhookDeps,
  { url, events, enabled, check, ...ref }: WebhookRef & WebhookChanges & Checked,
): Promise<Webhook> {
  const href = url === undefined ? undefined : parseUrl(url);
  const filter = parseFilter(events);
  return inTransaction(sql, async (tx) => {
    const before = await (enabled === true ? lockWithPage(tx, ref) : lockWebhook(tx, ref));
    check?.(before);
    const audit = { by, now: clock.now() };
    const after = {
      ...before,
      url: href ?? before.url,
      events: filter === undefined ? before.events : filter,
    };
    if (href !== undefined || filter !== undefined)
      await tx`
      update webhooks set url = ${after.url}, events = ${after.events}::text[]
      where page_id = ${before.pageId} and id = ${before.id}`;
    await recordWebhook(tx, audit, { verb: 'update', before, after });
    if (enabled === undefined) return after;
    return enabled ? enable(tx, audit, after) : disable(tx, audit, after);
  });
}

/**
 * Disables a webhook: no further deliveries are queued for it, and pending ones wait. A webhook that is already
 * disabled keeps its time and reason.
 *
 * @throws ServiceError `notFound` when there is no such webhook; what `check` throws.
 */
export async function disableWebhook(deps: WebhookDeps, ref: WebhookRef & Checked): Promise<Webhook> {
  return changeWebhook(deps, { ...ref, enabled: false });
}

export async function disable(tx: Transaction, audit: Audit, before: Webhook): Promise<Webhook> {
  if (before.disabledAt !== null) return before;
  const after = { ...before, disabledAt: new Date(audit.now), disabledReason: 'Disabled by hand.' };
  await tx`
    update webhooks set disabled_at = ${after.disabledAt}, disabled_reason = ${after.disabledReason}
    where page_id = ${before.pageId} and id = ${before.id}`;
  await recordWebhook(tx, audit, { verb: 'disable', before, after });
  return after;
}

/**
 * Disables a webhook whose receiver answered 410 Gone, in the transaction that records the attempt. Returns whether it
 * was enabled.
 */
export async function disableGoneWebhook(
  tx: Transaction,
  { id, pageId, now }: { id: WebhookId; pageId: PageId; now: number },
): Promise<boolean> {
  const [after] = await tx<Webhook[]>`
    update webhooks set disabled_at = ${new Date(now)}, disabled_reason = 'The receiver answered 410 Gone.'
    where page_id = ${pageId} and id = ${id} and disabled_at is null
    returning ${webhookColumns(tx)}`;
  if (after === undefined) return false;
  const before = { ...after, disabledAt: null, disabledReason: null };
  await recordWebhook(tx, { by: jobActor('webhooks'), now }, { verb: 'disable', before, after });
  return true;
}

/**
 * Enables a disabled webhook. Its pending deliveries are sent first, then the changes that are announced from now on.
 *
 * @throws ServiceError `notFound` when there is no such webhook, `conflict` when its page has too many; what `check`
 *   throws.
 */
export async function enableWebhook(deps: WebhookDeps, ref: WebhookRef & Checked): Promise<Webhook> {
  return changeWebhook(deps, { ...ref, enabled: true });
}

async function enable(tx: Transaction, audit: Audit, before: Webhook): Promise<Webhook> {
  if (before.disabledAt === null) return before;
  await checkRoomForWebhook(tx, before.pageId);
  await tx`
    update webhooks set disabled_at = null, disabled_reason = null, owners_told_at = null, owners_told_of = null
    where page_id = ${before.pageId} and id = ${before.id}`;
  const after = { ...before, disabledAt: null, disabledReason: null };
  await recordWebhook(tx, audit, { verb: 'enable', before, after });
  return after;
}

/** Takes the lock of the page first, as every transaction does that needs both. @throws ServiceError `notFound` */
async function lockWithPage(tx: Transaction, ref: WebhookRef): Promise<Webhook> {
  const { pageId } = await loadWebhook({ sql: tx }, ref);
  await lockPage(tx, pageId);
  return lockWebhook(tx, ref);
}

/** Stops the deliveries to every webhook of a page that is deleted. */
export async function disablePageWebhooks(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await tx`
    update webhooks set disabled_at = ${new Date(now)}, disabled_reason = 'The page was deleted.'
    where page_id = ${pageId} and disabled_at is null`;
}
