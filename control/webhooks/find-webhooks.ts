import { type PageId, parseId, type WebhookId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

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

/** Names one webhook: by its id, or by its id among the webhooks of a page. */
export type WebhookRef = { id: string; pageId?: PageId };

/** The columns that make a Webhook. */
export const webhookColumns = (sql: Sql | Transaction): Fragment => sql`
  id, page_id as "pageId", url, events, created_at as "createdAt", previous_secret_until as "previousSecretUntil",
  disabled_at as "disabledAt", disabled_reason as "disabledReason"`;

/** Lists the webhooks of a page, disabled ones included, oldest first. */
export async function listWebhooks(
  { sql }: { sql: Sql },
  { pageId }: { pageId: PageId },
): Promise<Webhook[]> {
  return sql<Webhook[]>`
    select ${webhookColumns(sql)} from webhooks where page_id = ${pageId} and deleted_at is null
    order by created_at, id`;
}

/** At most `limit` webhooks of a page, disabled ones included, newest first, behind the one with the id `after`. */
export async function listManagedWebhooks(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId; limit: number; after?: string | undefined },
): Promise<Webhook[]> {
  return sql<Webhook[]>`
    select ${webhookColumns(sql)} from webhooks
    where page_id = ${pageId} and deleted_at is null ${after === undefined ? sql`` : sql`and id < ${after}`}
    order by id desc limit ${limit}`;
}

/** @throws ServiceError `notFound` when there is no such webhook. */
export async function loadWebhook({ sql }: { sql: Sql | Transaction }, ref: WebhookRef): Promise<Webhook> {
  const [webhook] = await sql<Webhook[]>`
    select ${webhookColumns(sql)} from webhooks where ${isWebhook(sql, ref)}`;
  if (webhook === undefined) throw noSuchWebhook(ref.id);
  return webhook;
}

/**
 * Locks a webhook until the transaction ends; deliveries can be queued for it all the same.
 *
 * @throws ServiceError `notFound` when there is no such webhook.
 */
export async function lockWebhook(tx: Transaction, ref: WebhookRef): Promise<Webhook> {
  const [webhook] = await tx<Webhook[]>`
    select ${webhookColumns(tx)} from webhooks where ${isWebhook(tx, ref)} for no key update`;
  if (webhook === undefined) throw noSuchWebhook(ref.id);
  return webhook;
}

/** The condition on `webhooks` that a reference stands for. @throws ServiceError `notFound` */
function isWebhook(sql: Sql | Transaction, { id, pageId }: WebhookRef): Fragment {
  const ofPage = pageId === undefined ? sql`` : sql`and page_id = ${pageId}`;
  return sql`id = ${parseWebhookId(id)} ${ofPage} and deleted_at is null`;
}

/** @throws ServiceError `notFound` when the text is not an id, because then no webhook has it. */
export function parseWebhookId(text: string): WebhookId {
  const id = parseId<WebhookId>(text);
  if (id === undefined) throw noSuchWebhook(text);
  return id;
}

/** The error for an id that no webhook has. */
export function noSuchWebhook(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no webhook with the id "${id.slice(0, 60)}".` });
}
