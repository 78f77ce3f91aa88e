import type { AnnouncementKind } from '../../contract/incidents.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { filtersFor } from './events.js';

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
