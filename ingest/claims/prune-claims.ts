import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Deletes the ids of batches that no batch is compared with any more, on the slowest clock of an instance. */
export async function pruneClaims({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const before = new Date(clock.now() - limits.batchIdMinutes * minuteMs - clocksDifferMsMax);
  await deleteInChunks(
    async (rows) =>
      (
        await sql`
          delete from event_batches
          where ctid = any(array(select ctid from event_batches where claimed_at < ${before} limit ${rows}))`
      ).count,
  );
}
