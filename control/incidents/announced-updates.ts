import type { IncidentId, UpdateId } from '../../lib/ids.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

/**
 * Keeps an update as it is for the announcements that show it, before it is corrected. Each text is stored once, and
 * nothing is stored when no announcement shows the update since its last correction. The incident is locked.
 */
export async function keepAnnouncedUpdate(
  tx: Transaction,
  incidentId: IncidentId,
  updateId: UpdateId,
): Promise<void> {
  await tx`
    with shown as (
      select u.id, u.status, u.body, sha256(convert_to(u.body, 'UTF8')) as hash, (
          select max(a.seq) from announcements a
          where a.incident_id = u.incident_id and a.timeline_until >= u.place) as until
      from incident_updates u where u.id = ${updateId} and u.incident_id = ${incidentId}
    ), kept as (
      select * from shown
      where until > coalesce((select max(until_seq) from announced_updates where update_id = ${updateId}), 0)
    ), texts as (
      insert into announced_texts (incident_id, hash, text)
      select ${incidentId}, hash, body from kept
      on conflict do nothing
    )
    insert into announced_updates (update_id, until_seq, incident_id, status, body_hash)
    select id, until, ${incidentId}, status, hash from kept`;
}

/** The update `u` as the announcement `a` shows it: a row of status and body, or none when it was not corrected since. */
export function announcedUpdate(sql: Sql | Transaction): Fragment {
  return sql`
    select k.status, t.text as body from announced_updates k
      join announced_texts t on t.incident_id = k.incident_id and t.hash = k.body_hash
    where k.update_id = u.id and k.until_seq >= a.seq
    order by k.until_seq limit 1`;
}

/** Deletes what is kept for announcements that are gone; prune those first. Returns how many were deleted. */
export async function pruneAnnouncedUpdates(sql: Sql): Promise<number> {
  return deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from announced_updates where (update_id, until_seq) in (
        select k.update_id, k.until_seq from announced_updates k
        where not exists (
          select 1 from announcements a where a.incident_id = k.incident_id and a.seq <= k.until_seq)
        limit ${chunkRows})`;
    return count;
  });
}
