import { randomBytes } from 'node:crypto';
import { webhookLimits } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, parseId, type WebhookId } from '../../lib/ids.js';
import { problemOfOutboundUrl } from '../../lib/outbound/outbound-url.js';
import { sealSecret } from '../../lib/secret-box.js';
import { ServiceError } from '../../lib/service-error.js';
import { hourMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { parseEvents } from './events.js';

/** A webhook as lists show it. Its secret is shown once, when it is created or rotated. */
export type Webhook = {
  id: WebhookId;
  pageId: PageId;
  url: string;
  /** Names of events, `incident.*` and `maintenance.*`; `null` for every event. */
  events: string[] | null;
  createdAt: Date;
  /** Until then, deliveries are also signed with the previous secret; `null` without a previous secret. */
  previousSecretUntil: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
};

/** `secret` is `whsec_…`. Only this result holds it in the clear; the database holds it sealed. */
export type CreatedWebhook = { id: WebhookId; secret: string };

export type RotatedWebhook = {
  id: WebhookId;
  /** The new secret, `whsec_…`. */
  secret: string;
  /** Until then, deliveries are signed with both secrets. */
  previousSecretUntil: Date;
};

type WebhookRow = {
  id: WebhookId;
  page_id: PageId;
  url: string;
  events: string[] | null;
  created_at: Date;
  previous_secret_until: Date | null;
  disabled_at: Date | null;
  disabled_reason: string | null;
};

const columns = (sql: Sql | Transaction): Fragment =>
  sql`id, page_id, url, events, created_at, previous_secret_until, disabled_at, disabled_reason`;

/**
 * Creates a webhook. It receives the changes that are announced from now on.
 *
 * @param input.events names of events; see parseEvents(). Every event when absent.
 * @throws ServiceError `invalidBody` when the URL or an event cannot be used, `conflict` when the page has too many webhooks.
 */
export async function createWebhook(
  { sql, clock, secretKey }: { sql: Sql; clock: Clock; secretKey: string },
  { pageId, url, events }: { pageId: PageId; url: string; events?: readonly string[] },
): Promise<CreatedWebhook> {
  const href = parseUrl(url);
  const filter = events === undefined ? null : parseEvents(events);
  return inTransaction(sql, async (tx) => {
    await checkRoomForWebhook(tx, pageId);
    const now = clock.now();
    const id = newId<WebhookId>(now);
    const secret = newSecret();
    await tx`
      insert into webhooks (id, page_id, url, events, secret, created_at)
      values (${id}, ${pageId}, ${href}, ${filter}::text[], ${sealSecret(secretKey, secretContext(id), secret)},
        ${new Date(now)})`;
    return { id, secret };
  });
}

/** Lists the webhooks of a page, disabled ones included, oldest first. */
export async function listWebhooks(
  { sql }: { sql: Sql },
  { pageId }: { pageId: PageId },
): Promise<Webhook[]> {
  const rows = await sql<WebhookRow[]>`
    select ${columns(sql)} from webhooks where page_id = ${pageId}
    order by created_at, id`;
  return rows.map(toWebhook);
}

/**
 * Changes where a webhook delivers to, and which events. Another URL gets the pending deliveries as well; other events
 * count for the changes that are announced from now on.
 *
 * @param changes.events names of events; see parseEvents()
 * @throws ServiceError `notFound` when there is no such webhook, `invalidBody` when the URL or an event cannot be used.
 */
export async function changeWebhook(
  { sql }: { sql: Sql },
  { id, url, events }: { id: string; url?: string; events?: readonly string[] },
): Promise<Webhook> {
  const href = url === undefined ? null : parseUrl(url);
  const filter = events === undefined ? undefined : parseEvents(events);
  const [row] = await sql<WebhookRow[]>`
    update webhooks set url = coalesce(${href}, url)
      ${filter === undefined ? sql`` : sql`, events = ${filter}::text[]`}
    where id = ${parseWebhookId(id)}
    returning ${columns(sql)}`;
  if (row === undefined) throw noSuchWebhook(id);
  return toWebhook(row);
}

/** @throws ServiceError `invalidBody` when the URL cannot be used. */
function parseUrl(url: string): string {
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw new ServiceError('invalidBody', { message: problem });
  return new URL(url).href;
}

/**
 * Disables a webhook: no further deliveries are queued for it, and pending ones wait. A webhook that is already
 * disabled keeps its time and reason.
 *
 * @throws ServiceError `notFound` when there is no such webhook.
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
    returning ${columns(sql)}`;
  if (row === undefined) throw noSuchWebhook(id);
  return toWebhook(row);
}

/**
 * Disables a webhook whose receiver answered 410 Gone, in the transaction that records the attempt. Returns whether it
 * was enabled.
 */
export async function disableGoneWebhook(tx: Transaction, id: WebhookId, now: number): Promise<boolean> {
  const { count } = await tx`
    update webhooks set disabled_at = ${new Date(now)}, disabled_reason = 'The receiver answered 410 Gone.'
    where id = ${id} and disabled_at is null`;
  return count === 1;
}

/**
 * Enables a disabled webhook. Its pending deliveries are sent first, then the changes that are announced from now on.
 *
 * @throws ServiceError `notFound` when there is no such webhook, `conflict` when its page has too many.
 */
export async function enableWebhook({ sql }: { sql: Sql }, { id }: { id: string }): Promise<Webhook> {
  return inTransaction(sql, async (tx) => {
    const [before] = await tx<WebhookRow[]>`
      select ${columns(tx)} from webhooks where id = ${parseWebhookId(id)}`;
    if (before === undefined) throw noSuchWebhook(id);
    if (before.disabled_at === null) return toWebhook(before);
    await checkRoomForWebhook(tx, before.page_id);
    await tx`
      update webhooks set disabled_at = null, disabled_reason = null, owners_told_at = null, owners_told_of = null
      where page_id = ${before.page_id} and id = ${before.id}`;
    return toWebhook({ ...before, disabled_at: null, disabled_reason: null });
  });
}

/**
 * Gives a webhook a new secret. For a day, deliveries are signed with both secrets, so that the receiver refuses none
 * while it switches. A secret from before an earlier rotation stops at once.
 *
 * @throws ServiceError `notFound` when there is no such webhook.
 */
export async function rotateWebhook(
  { sql, clock, secretKey }: { sql: Sql; clock: Clock; secretKey: string },
  { id }: { id: string },
): Promise<RotatedWebhook> {
  const webhookId = parseWebhookId(id);
  const secret = newSecret();
  const previousSecretUntil = new Date(clock.now() + webhookLimits.overlapHours * hourMs);
  const rotated = await sql`
    update webhooks set
      previous_secret = secret,
      previous_secret_until = ${previousSecretUntil},
      secret = ${sealSecret(secretKey, secretContext(webhookId), secret)}
    where id = ${webhookId}`;
  if (rotated.count === 0) throw noSuchWebhook(id);
  return { id: webhookId, secret, previousSecretUntil };
}

/** The context that the signing secrets of a webhook are sealed with; see lib/secret-box.ts. */
export function secretContext(id: WebhookId): string {
  return `webhook ${id}`;
}

/** @throws ServiceError `notFound` when the text is not an id, because then no webhook has it. */
export function parseWebhookId(text: string): WebhookId {
  const id = parseId<WebhookId>(text);
  if (id === undefined) throw noSuchWebhook(text);
  return id;
}

export function noSuchWebhook(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no webhook with the id "${id}".` });
}

/** Returns a signing secret in the form of the Standard Webhooks specification: 32 random bytes in base64. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Locks the page until the transaction ends, so that webhooks created at the same time stay within the limit.
 *
 * @throws ServiceError `conflict` when the page has as many active webhooks as it may have.
 */
async function checkRoomForWebhook(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for update`;
  const [active] = await tx<{ count: number }[]>`
    select count(*)::integer as count from webhooks where page_id = ${pageId} and disabled_at is null`;
  if ((active?.count ?? 0) < webhookLimits.webhooksPerPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${webhookLimits.webhooksPerPage} active webhooks, which is the most; disable one first.`,
  });
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    pageId: row.page_id,
    url: row.url,
    events: row.events,
    createdAt: row.created_at,
    previousSecretUntil: row.previous_secret_until,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
  };
}
