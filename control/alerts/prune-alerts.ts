import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Deletes the alerts that were over before `before`, with what is known of who was told of them once all alerts of a message are
 * gone, and the silences that ended before. Returns how many alerts.
 */
export async function pruneAlerts(sql: Sql, before: Date): Promise<number> {
  await deleteInChunks(async (chunkRows) => {
    const { count } = await sql`
      delete from silences where id in (select id from silences where ends_at < ${before} limit ${chunkRows})`;
    return count;
  });
  return deleteInChunks((chunkRows) => pruneChunk(sql, before, chunkRows));
}

async function pruneChunk(sql: Sql, before: Date, chunkRows: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with gone as (
      delete from alerts where id in (
        select id from alerts where resolved_at < ${before} order by resolved_at limit ${chunkRows})
      returning id, told_batch
    ), batches as (
      select distinct g.told_batch as id from gone g
      where g.told_batch is not null and not exists (
        select 1 from alerts a where a.told_batch = g.told_batch and a.id not in (select id from gone))
    ), notices as (
      delete from alert_notices where batch_id in (select id from batches)
    ), steps as (
      delete from escalations where batch_id in (select id from batches)
    )
    select count(*)::int as count from gone`;
  return row?.count ?? 0;
}
