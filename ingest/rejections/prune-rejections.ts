import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Deletes the counts and messages of rejected events that are as old as the oldest events. */
export async function pruneRejections({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const before = new Date(clock.now() - limits.eventRetentionDays * dayMs);
  await deleteInChunks(
    async (rows) =>
      (
        await sql`
          delete from rejected_events
          where ctid = any(array(select ctid from rejected_events where minute < ${before} limit ${rows}))`
      ).count,
  );
  await deleteInChunks(
    async (rows) =>
      (
        await sql`
          delete from rejection_messages
          where ctid = any(array(select ctid from rejection_messages where at < ${before} limit ${rows}))`
      ).count,
  );
}
