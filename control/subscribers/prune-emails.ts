import type { IncidentId, PageId } from '../../lib/ids.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** Deletes the emails that ended before `before`. Returns how many were deleted. */
export async function pruneEmails(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from emails where id in (
        select id from emails where created_at < ${before} and finished_at < ${before} limit ${chunkRows})
        and finished_at < ${before}`;
    return count;
  });
}

/** Deletes the emails that ended, or whose links ended, before `before`. Returns how many were deleted. */
export async function pruneAccountEmails(sql: Sql, before: Date): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from account_emails where id in (
        select id from account_emails
        where created_at < ${before} and coalesce(finished_at, expires_at) < ${before} limit ${chunkRows})`;
    return count;
  });
}

/**
 * Deletes the emails about an incident that were sent or have failed for good, before the incident is deleted in the same
 * transaction: one statement could not delete the emails to ten thousand subscribers about two hundred updates.
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
