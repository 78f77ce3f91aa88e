import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

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
