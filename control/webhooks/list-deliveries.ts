import type { DeliveryState } from '../../contract/webhooks.js';
import {
  type AnnouncementId,
  type DeliveryId,
  type IncidentId,
  type PageId,
  parseId,
  type WebhookId,
} from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { createBodyComposer } from './compose-body.js';
import { loadWebhook, parseWebhookId, type WebhookRef } from './find-webhooks.js';
import { unsignedHeaders } from './sign-a-body.js';

/** A delivery as lists show it. */
export type WebhookDelivery = {
  id: DeliveryId;
  pageId: PageId;
  webhookId: WebhookId;
  /** `null` for a test delivery. */
  incidentId: IncidentId | null;
  kind: string;
  state: DeliveryState;
  /** Why the delivery is parked. */
  reason: string | null;
  createdAt: Date;
  /** Place among deliveries of the same time; 0 for a test. */
  seq: bigint;
  /** `null` unless the delivery is pending. */
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
  /** Attempts that were started, those before a replay included. */
  attempts: number;
  lastAttempt: WebhookAttempt | null;
};

export type WebhookAttempt = {
  at: Date;
  durationMs: number;
  /** `null` when the receiver did not answer. */
  status: number | null;
  /** A class, a colon and a sentence; `null` when the attempt succeeded. */
  error: string | null;
  /** Start of the receiver's answer. */
  answer: string | null;
};

type Row = {
  id: DeliveryId;
  page_id: PageId;
  webhook_id: WebhookId;
  incident_id: IncidentId | null;
  kind: string;
  state: DeliveryState;
  reason: string | null;
  created_at: Date;
  seq: bigint | null;
  next_attempt_at: Date;
  finished_at: Date | null;
  attempts: number;
  at: Date | null;
  duration_ms: number;
  status: number | null;
  error: string | null;
  answer: string | null;
};

/** Where a list of deliveries stands after one of them. */
export type DeliveryPosition = { createdAt: Date; seq: bigint; id: DeliveryId };

type ListInput = WebhookRef & {
  state?: DeliveryState | undefined;
  limit: number;
  /** Lists only deliveries behind this one. */
  after?: DeliveryPosition | undefined;
};

/**
 * Lists the deliveries of a webhook, newest first, each with the last attempt that ended.
 *
 * @throws ServiceError `notFound` when there is no such webhook.
 */
export async function listWebhookDeliveries(
  { sql }: { sql: Sql },
  { state, limit, after, ...ref }: ListInput,
): Promise<WebhookDelivery[]> {
  const webhook = await loadWebhook({ sql }, ref);
  const behind =
    after === undefined
      ? sql``
      : sql`and d.created_at <= ${after.createdAt}
        and (d.created_at, coalesce(d.seq, 0), d.id) < (${after.createdAt}, ${after.seq}::bigint, ${after.id}::uuid)`;
  const rows = await sql<Row[]>`
    ${selectDeliveries(sql)}
    where d.page_id = ${webhook.pageId} and d.webhook_id = ${webhook.id}
      ${state === undefined ? sql`` : sql`and d.state = ${state}`} ${behind}
    order by d.created_at desc, coalesce(d.seq, 0) desc, d.id desc limit ${limit}`;
  return rows.map(toDelivery);
}

/** Loads one delivery of a webhook. @throws ServiceError `notFound` */
export async function loadWebhookDelivery(
  { sql }: { sql: Sql },
  { id, pageId, webhookId }: { id: string; pageId: PageId; webhookId: string },
): Promise<WebhookDelivery> {
  const [row] = await sql<Row[]>`
    ${selectDeliveries(sql)}
    where d.page_id = ${pageId} and d.webhook_id = ${parseWebhookId(webhookId)}
      and d.id = ${parseDeliveryId(id)}`;
  if (row === undefined) throw noSuchDelivery(id);
  return toDelivery(row);
}

const selectDeliveries = (sql: Sql): Fragment => sql`
  select d.id, d.page_id, d.webhook_id, a.incident_id, d.kind, d.state, d.reason, d.created_at, d.seq,
    d.next_attempt_at, d.finished_at, d.attempts, last.at, last.duration_ms, last.status, last.error, last.answer
  from webhook_deliveries d
    left join announcements a on a.id = d.announcement_id
    left join lateral (
      select at, duration_ms, status, error, answer from webhook_attempts
      where delivery_id = d.id order by attempt desc limit 1
    ) last on true`;

function toDelivery(row: Row): WebhookDelivery {
  const { at, duration_ms: durationMs, status, error, answer } = row;
  return {
    id: row.id,
    pageId: row.page_id,
    webhookId: row.webhook_id,
    incidentId: row.incident_id,
    kind: row.kind,
    state: row.state,
    reason: row.reason,
    createdAt: row.created_at,
    seq: row.seq ?? 0n,
    nextAttemptAt: row.state === 'pending' ? row.next_attempt_at : null,
    finishedAt: row.finished_at,
    attempts: row.attempts,
    lastAttempt: at === null ? null : { at, durationMs, status, error, answer },
  };
}

/** @throws ServiceError `notFound` when the text is not an id, because then no delivery has it. */
export function parseDeliveryId(text: string): DeliveryId {
  const id = parseId<DeliveryId>(text);
  if (id === undefined) throw noSuchDelivery(text);
  return id;
}

/** The error for an id that no delivery has. */
export function noSuchDelivery(id: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no delivery with the id "${id.slice(0, 60)}".` });
}

/** A delivery with the request that an attempt sends, without its signature, and the attempts that ended, newest first. */
export type DeliveryDetail = WebhookDelivery & {
  request: {
    method: 'POST';
    url: string;
    headers: { name: string; value: string }[];
    /** `null` when what it announces was deleted. */
    body: string | null;
  };
  pastAttempts: WebhookAttempt[];
};

/** Loads one delivery of a webhook, with its last `attemptsMax` attempts. @throws ServiceError `notFound` */
export async function loadDeliveryDetail(
  { sql }: { sql: Sql },
  { attemptsMax, ...ref }: { id: string; pageId: PageId; webhookId: string; attemptsMax: number },
): Promise<DeliveryDetail> {
  const webhook = await loadWebhook({ sql }, { id: ref.webhookId, pageId: ref.pageId });
  const delivery = await loadWebhookDelivery({ sql }, ref);
  const { id, lastAttempt } = delivery;
  const [source] = await sql<{ announcementId: AnnouncementId | null; body: string | null }[]>`
    select announcement_id as "announcementId", body from webhook_deliveries where page_id = ${ref.pageId} and id = ${id}`;
  const body = source && (await createBodyComposer({ sql })(source));
  const pastAttempts = await sql<WebhookAttempt[]>`
    select at, duration_ms as "durationMs", status, error, answer from webhook_attempts
    where delivery_id = ${id} order by attempt desc limit ${attemptsMax}`;
  const headers = unsignedHeaders({ id, at: lastAttempt?.at.getTime() });
  return {
    ...delivery,
    request: {
      ...{ method: 'POST', url: webhook.url, body: body ?? null },
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    },
    pastAttempts,
  };
}
