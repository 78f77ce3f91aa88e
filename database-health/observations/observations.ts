import { type Engine, observationLimits } from '../../contract/observations.js';
import type { Clock } from '../../lib/clock.js';
import type { ConnectionId, PageId } from '../../lib/ids.js';
import { hourMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';

/** A source as its newest observation shows it. Values that were not measured are null. */
export type ObservedSource = {
  sourceId: string;
  engine: Engine;
  environment: string;
  target: string;
  /** The connection may have been deleted since. */
  connectionId: ConnectionId | null;
  observedAt: Date;
  /** Whether an observation of that time would still be accepted: it is at most 15 minutes old. */
  fresh: boolean;
  outcome: string;
  latencyMs: number;
  capabilities: string[];
  connections: number | null;
  connectionLimit: number | null;
  activeSessions: number | null;
  blockedSessions: number | null;
};

/** Lists the sources of a page that were observed within 24 hours, by name. Costs one index look-up for each of 20. */
export async function listObservations(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId }: { pageId: PageId },
): Promise<ObservedSource[]> {
  const now = clock.now();
  const rows = await sql<Omit<ObservedSource, 'fresh'>[]>`
    select s.source_id as "sourceId", s.engine, s.environment, s.target, s.connection_id as "connectionId",
      o.checked_at as "observedAt", o.outcome, o.latency_ms as "latencyMs", o.capabilities, o.connections,
      o.connection_limit as "connectionLimit", o.active_sessions as "activeSessions",
      o.blocked_sessions as "blockedSessions"
    from observation_sources s
    cross join lateral (
      select * from observations
      where page_id = s.page_id and source_id = s.source_id and checked_at >= ${expiredBefore(now)}
      order by checked_at desc, received_at desc limit 1
    ) o
    where s.page_id = ${pageId}
    order by s.source_id`;
  const freshAfter = now - observationLimits.ageSecondsMax * secondMs;
  return rows.map((row) => ({ ...row, fresh: row.observedAt.getTime() >= freshAfter }));
}

/** Returns the time before which observations have expired, whether or not the job has deleted them yet. */
export function expiredBefore(now: number): Date {
  return new Date(now - observationLimits.keptHours * hourMs);
}

/** Rows of one statement, so that none holds its locks for long. */
const chunkRows = 1_000;

/**
 * Deletes observations that are a day old, and sources without a younger one. Returns the number of deleted
 * observations.
 */
export async function forgetObservations({ sql, clock }: { sql: Sql; clock: Clock }): Promise<number> {
  const before = expiredBefore(clock.now());
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
