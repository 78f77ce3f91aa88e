import type { AnnouncementKind } from '../../contract/incidents.js';
import type { IncidentId, PageId, WebhookId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { filtersFor } from './event-filter.js';

/** How many webhooks of a page would receive an event of this kind now. */
export async function countReceivers(
  { sql }: { sql: Sql },
  pageId: PageId,
  kind: AnnouncementKind,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from webhooks
    where page_id = ${pageId} and disabled_at is null
      and (events is null or events && ${filtersFor(kind)}::text[])`;
  return row?.count ?? 0;
}

/** How many deliveries of a page's webhooks have not been sent. */
export async function countWaitingDeliveries({ sql }: { sql: Sql }, pageId: PageId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from webhooks w join webhook_deliveries d on d.webhook_id = w.id
    where w.page_id = ${pageId} and w.deleted_at is null and d.state = 'pending'`;
  return row?.count ?? 0;
}

/** A webhook with deliveries that wait. `origin` belongs to its URL, whose rest may be a secret. */
export type LateWebhook = { pageId: PageId; id: WebhookId; origin: string; waiting: number; oldestAt: Date };

/** The enabled webhooks of pages that have a delivery waiting since before a time. */
export async function listLateWebhooks(
  sql: Sql,
  { pageIds, before }: { pageIds: readonly PageId[]; before: Date },
): Promise<LateWebhook[]> {
  const rows = await sql<(Omit<LateWebhook, 'origin'> & { url: string })[]>`
    select w.page_id as "pageId", w.id, w.url, late.waiting, late.oldest as "oldestAt"
    from webhooks w cross join lateral (
      select count(*)::integer as waiting, min(d.created_at) as oldest from webhook_deliveries d
      where d.webhook_id = w.id and d.state = 'pending') late
    where w.page_id = any (${[...pageIds]}::uuid[]) and w.disabled_at is null and late.oldest < ${before}
    order by w.page_id, w.id`;
  return rows.map(({ url, ...row }) => ({ ...row, origin: new URL(url).origin }));
}

/** Counts the webhook deliveries that announce an incident and its changes, by state. Deliveries are kept for 30 days. */
export async function countIncidentDeliveries(
  { sql }: { sql: Sql },
  { pageId, incidentId }: { pageId: PageId; incidentId: IncidentId },
): Promise<{ pending: number; delivered: number; parked: number }> {
  const rows = await sql<{ state: 'pending' | 'delivered' | 'parked'; count: number }[]>`
    select d.state, count(*)::int as count
    from announcements a join webhook_deliveries d on d.announcement_id = a.id
    where a.incident_id = ${incidentId} and a.page_id = ${pageId} and d.page_id = ${pageId}
    group by d.state`;
  return {
    pending: 0,
    delivered: 0,
    parked: 0,
    ...Object.fromEntries(rows.map((row) => [row.state, row.count])),
  };
}
