import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { dayMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';

const keptMs = 400 * dayMs;

/** Deletes the rows of the audit log that are 400 days old. The table refuses to lose younger ones. */
export async function pruneAuditLog({
  sql,
  clock,
  log,
}: {
  sql: Sql;
  clock: Clock;
  log: Log;
}): Promise<void> {
  const before = new Date(clock.now() - keptMs);
  const rows = await deleteInChunks(async (limit) => {
    const { count } = await sql`
      delete from audit_log where id in (select id from audit_log where at < ${before} order by at limit ${limit})`;
    return count;
  });
  if (rows > 0) log.info({ rows }, 'Old rows of the audit log were deleted.');
}
