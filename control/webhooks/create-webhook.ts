import { randomBytes } from 'node:crypto';
import { webhookLimits } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type WebhookId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { problemOfOutboundUrl } from '../../lib/web-address.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';
import type { Actor } from '../audit/index.js';
import { recordWebhook } from './audit-webhook.js';

import { parseEvents } from './event-filter.js';
import { loadWebhook, type Webhook } from './find-webhooks.js';

/** `secret` is `whsec_…`. Only this result holds it in the clear; the database holds it sealed. */
export type CreatedWebhook = Webhook & { secret: string };

export type WebhookDeps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Creates a webhook. It receives the changes that are announced from now on.
 *
 * @param input.events names of events; see parseEvents(). Every event when absent or null.
 * @throws ServiceError `invalidBody` when the URL or an event cannot be used, `conflict` when the page has too many webhooks.
 */
export async function createWebhook(
  { sql, clock, by, secretKey }: WebhookDeps & { secretKey: string },
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

export async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for update`;
}

/**
 * Locks the page until the transaction ends, so that webhooks created at the same time stay within the limit.
 *
 * @throws ServiceError `conflict` when the page has as many active webhooks as it may have.
 */
export async function checkRoomForWebhook(tx: Transaction, pageId: PageId): Promise<void> {
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
export function parseUrl(url: string): string {
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw new ServiceError('invalidBody', { field: '/url', message: problem });
  return new URL(url).href;
}

/** The filter as it is stored; `undefined` when there is none to change. @throws ServiceError `invalidBody` */
export function parseFilter(events: readonly string[] | null | undefined): string[] | null | undefined {
  return events === undefined || events === null ? events : parseEvents(events);
}

/** Returns a signing secret in the form of the Standard Webhooks specification: 32 random bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
