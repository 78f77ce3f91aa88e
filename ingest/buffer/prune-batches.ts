import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';

const dayMs = 86_400_000;

/**
 * Deletes batches for pages' own stores that were tried for the last time and are a week old. Those of the
 * default store stay until somebody has them delivered: they were acknowledged, and nobody else has them.
 */
export async function pruneBatches({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Promise<void> {
  const before = new Date(clock.now() - limits.exhaustedBatchDays * dayMs);
  const deleted = await sql`
    delete from delivery_batches
    where exhausted_at is not null and created_at < ${before} and store <> 'default'`;
  if (deleted.count > 0)
    log.warn({ batches: deleted.count }, 'Batches that no attempt delivered were deleted.');
}
