import { type Engine, observationLimits } from '../contract/observations.js';
import type { Clock } from '../lib/clock.js';
import type { ConnectionId, PageId } from '../lib/ids.js';
import type { Sql } from '../sql/open-postgres.js';
import { forgottenBefore } from './forget-observations.js';

/** A source as its newest observation shows it; null is what was not measured. */
export type ObservedSource = {
  sourceId: string;
  engine: Engine;
  environment: string;
  target: string;
  /** Also of a connection that was deleted since. */
  connectionId: ConnectionId | null;
  observedAt: Date;
  /** Whether an observation of that time would still be taken: it is at most 15 minutes old. */
  fresh: boolean;
  outcome: string;
  latencyMs: number;
  capabilities: string[];
  connections: number | null;
  connectionLimit: number | null;
  activeSessions: number | null;
  blockedSessions: number | null;
};

/** The sources of a page that were observed within 24 hours, by their names; one index look-up for each of 20. */
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
      where page_id = s.page_id and source_id = s.source_id and checked_at >= ${forgottenBefore(now)}
      order by checked_at desc, received_at desc limit 1
    ) o
    where s.page_id = ${pageId}
    order by s.source_id`;
  const freshAfter = now - observationLimits.ageSecondsMax * 1000;
  return rows.map((row) => ({ ...row, fresh: row.observedAt.getTime() >= freshAfter }));
}
