import { randomBytes } from 'node:crypto';
import { webhookLimits } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type WebhookId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { hourMs } from '../../lib/times.js';
import { problemOfOutboundUrl } from '../../lib/web-address.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';
import { type Actor, jobActor } from '../audit/index.js';
import { parseEvents } from './events.js';
import {
  loadWebhook,
  lockWebhook,
  openWebhookSecret,
  parseWebhookId,
  recordWebhook,
  type Webhook,
  type WebhookRef,
  webhookColumns,
} from './webhook.js';

/** `secret` is `whsec_…`. Only this result holds it in the clear; the database holds it sealed. */
export type CreatedWebhook = Webhook & { secret: string };

type Deps = { sql: Sql; clock: Clock; by: Actor };
type Audit = { by: Actor; now: number };

/** Gets the webhook as it is, in the transaction of the change, and may refuse the change by an error. */
type Checked = { check?: (webhook: Webhook) => void };

/**
 * Creates a webhook. It receives the changes that are announced from now on.
 *
 * @param input.events names of events; see parseEvents(). Every event when absent or null.
 * @throws ServiceError `invalidBody` when the URL or an event cannot be used, `conflict` when the page has too many webhooks.
 */
export async function createWebhook(
  { sql, clock, by, secretKey }: Deps & { secretKey: string },
  { pageId, url, events }: { pageId: PageId; url: string; events?: readonly string[] | null },
): Promise<CreatedWebhook> {
  const href = parseUrl(url);
  const filter = parseFilter(events) ?? null;
  return inTransaction(sql, async (tx) => {
    await checkRoomForWebhook(tx, pageId);
    await checkRoomInAll(tx, pageId);
    const now = clock.now();
    const id = newId<WebhookId>(now);
    const secret = newSecret();
    await tx`
      insert into webhooks (id, page_id, url, events, secret, created_at)
      values (${id}, ${pageId}, ${href}, ${filter}::text[], ${sealColumn(secretKey, 'webhook', id, secret)},
        ${new Date(now)})`;
    const created = await loadWebhook({ sql: tx }, { id, pageId });
    await recordWebhook(tx, { by, now }, { verb: 'create', before: null, after: created });
    return { ...created, secret };
  });
}

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
  { sql, clock, by }: Deps,
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
export async function disableWebhook(deps: Deps, ref: WebhookRef & Checked): Promise<Webhook> {
  return changeWebhook(deps, { ...ref, enabled: false });
}

async function disable(tx: Transaction, audit: Audit, before: Webhook): Promise<Webhook> {
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
export async function enableWebhook(deps: Deps, ref: WebhookRef & Checked): Promise<Webhook> {
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

/**
 * Gives a webhook a new secret. For a day, deliveries are signed with both secrets, so that the receiver refuses none
 * while it switches. A secret from before an earlier rotation stops at once, and one that no key opens is not kept.
 *
 * @throws ServiceError `notFound` when there is no such webhook; what `check` throws.
 */
export async function rotateWebhook(
  { sql, clock, by, secretKey }: Deps & { secretKey: string },
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

/**
 * Deletes a webhook with its pending deliveries and its secrets. Its past deliveries are no longer to be seen; a job
 * removes them, because a transaction of them all could take minutes.
 *
 * @throws ServiceError `notFound` when there is no such webhook; what `check` throws.
 */
export async function deleteWebhook(
  { sql, clock, by }: Deps,
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

/** Takes the lock of the page first, as every transaction does that needs both. @throws ServiceError `notFound` */
async function lockWithPage(tx: Transaction, ref: WebhookRef): Promise<Webhook> {
  const { pageId } = await loadWebhook({ sql: tx }, ref);
  await lockPage(tx, pageId);
  return lockWebhook(tx, ref);
}

async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for update`;
}

/**
 * Locks the page until the transaction ends, so that webhooks created at the same time stay within the limit.
 *
 * @throws ServiceError `conflict` when the page has as many active webhooks as it may have.
 */
async function checkRoomForWebhook(tx: Transaction, pageId: PageId): Promise<void> {
  await lockPage(tx, pageId);
  const [active] = await tx<{ count: number }[]>`
    select count(*)::integer as count from webhooks where page_id = ${pageId} and disabled_at is null`;
  if ((active?.count ?? 0) < webhookLimits.webhooksPerPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${webhookLimits.webhooksPerPage} active webhooks, which is the most; disable one first.`,
  });
}

/** Under the lock of checkRoomForWebhook(). @throws ServiceError `conflict` when the page has too many, disabled or not. */
async function checkRoomInAll(tx: Transaction, pageId: PageId): Promise<void> {
  const [all] = await tx<{ count: number }[]>`
    select count(*)::integer as count from webhooks where page_id = ${pageId} and deleted_at is null`;
  if ((all?.count ?? 0) < webhookLimits.allWebhooksPerPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${webhookLimits.allWebhooksPerPage} webhooks, disabled ones included, which is the most; delete one first.`,
  });
}

/** @throws ServiceError `invalidBody` when the URL cannot be used. */
function parseUrl(url: string): string {
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw new ServiceError('invalidBody', { field: '/url', message: problem });
  return new URL(url).href;
}

/** The filter as it is stored; `undefined` when there is none to change. @throws ServiceError `invalidBody` */
function parseFilter(events: readonly string[] | null | undefined): string[] | null | undefined {
  return events === undefined || events === null ? events : parseEvents(events);
}

/** Returns a signing secret in the form of the Standard Webhooks specification: 32 random bytes in base64. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
