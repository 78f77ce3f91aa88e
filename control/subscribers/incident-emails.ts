import type { IncidentId, PageId } from '../../lib/ids.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** Counts the emails that announce an incident and its changes, by state. Emails are kept for 30 days. */
export async function countIncidentEmails(
  { sql }: { sql: Sql },
  { pageId, incidentId }: { pageId: PageId; incidentId: IncidentId },
): Promise<{ pending: number; delivered: number; parked: number }> {
  const rows = await sql<{ state: 'pending' | 'delivered' | 'parked'; count: number }[]>`
    select e.state, count(*)::int as count
    from announcements a join emails e on e.announcement_id = a.id
    where a.incident_id = ${incidentId} and a.page_id = ${pageId} and e.page_id = ${pageId}
    group by e.state`;
  return {
    pending: 0,
    delivered: 0,
    parked: 0,
    ...Object.fromEntries(rows.map((row) => [row.state, row.count])),
  };
}

/**
 * Deletes the emails about an incident that were sent or have failed for good, before the incident is deleted in the same
 * transaction: one statement could not delete those of ten thousand subscribers and two hundred updates.
 */
export async function forgetIncidentEmails(
  tx: Transaction,
  { pageId, incidentId }: { pageId: PageId; incidentId: IncidentId },
): Promise<void> {
  await deleteInChunks(async (chunkRows) => {
    const { count } = await tx`
      delete from emails where id in (
        select e.id from announcements a join emails e on e.announcement_id = a.id
        where a.incident_id = ${incidentId} and a.page_id = ${pageId} and e.page_id = ${pageId}
          and e.state <> 'pending'
        limit ${chunkRows})`;
    return count;
  });
}
