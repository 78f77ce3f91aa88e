import { observationLimits } from '../contract/observations.js';
import type { Clock } from '../lib/clock.js';
import type { Sql } from '../sql/open-postgres.js';

/** Rows of one statement, so that none holds its locks for long. */
const chunkRows = 1_000;

/** What was checked before that time is forgotten, whether or not the job has deleted it yet. */
export function forgottenBefore(now: number): Date {
  return new Date(now - observationLimits.keptHours * 3_600_000);
}

/** Deletes observations that are a day old, and sources without a younger one. Answers how many observations went. */
export async function forgetObservations({ sql, clock }: { sql: Sql; clock: Clock }): Promise<number> {
  const before = forgottenBefore(clock.now());
  let forgotten = 0;
  for (;;) {
    const { count } = await sql`
      delete from observations where (page_id, id) in (
        select page_id, id from observations where checked_at < ${before} limit ${chunkRows})`;
    forgotten += count;
    if (count < chunkRows) break;
  }
  await sql`delete from observation_sources where last_checked_at < ${before}`;
  return forgotten;
}
