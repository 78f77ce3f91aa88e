import { acceptObservation } from '../../../database-health/observations/accept-observation.js';
import { listObservations } from '../../../database-health/observations/observations.js';
import type { CheckedObservation } from '../../../database-health/observations/parse-observation.js';
import { newId, type ObservationId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import type { DemoDeps } from '../extent.js';
import type { FilledPage } from '../fill.js';
import { noiseAt } from '../noise.js';

type Observed = Omit<CheckedObservation, 'id' | 'connectionId' | 'checkedAt' | 'environment'> & {
  /** Its observer ended this long ago. */
  staleMs?: number;
};

/** A server near its limit with sessions that wait for locks, a quiet one, one that refuses, and one nobody observes. */
const servers: readonly Observed[] = [
  {
    ...{
      sourceId: 'orders-primary',
      engine: 'postgresql',
      target: 'orders',
      outcome: 'connected',
      latencyMs: 4.2,
    },
    capabilities: ['pg_stat_activity', 'pg_locks'],
    ...{ connections: 94, connectionLimit: 100, activeSessions: 31, blockedSessions: 6 },
  },
  {
    ...{
      sourceId: 'accounts-primary',
      engine: 'postgresql',
      target: 'accounts',
      outcome: 'connected',
      latencyMs: 2.1,
    },
    capabilities: ['pg_stat_activity', 'pg_locks'],
    ...{ connections: 38, connectionLimit: 200, activeSessions: 7, blockedSessions: 0 },
  },
  {
    ...{
      sourceId: 'search-shard-1',
      engine: 'mongodb',
      target: 'search',
      outcome: 'connected',
      latencyMs: 7.8,
    },
    capabilities: ['serverStatus'],
    ...{ connections: 212, connectionLimit: 819, activeSessions: 18, blockedSessions: null },
  },
  {
    ...{
      sourceId: 'billing-replica',
      engine: 'mysql',
      target: 'billing',
      outcome: 'timeout',
      latencyMs: 5_000,
    },
    capabilities: [],
    ...{ connections: null, connectionLimit: null, activeSessions: null, blockedSessions: null },
  },
  {
    ...{
      sourceId: 'reports-replica',
      engine: 'postgresql',
      target: 'reports',
      outcome: 'connected',
      latencyMs: 11.4,
    },
    capabilities: ['pg_stat_activity'],
    ...{ connections: 12, connectionLimit: 50, activeSessions: 2, blockedSessions: 0 },
    staleMs: 3 * hourMs + 12 * minuteMs,
  },
];

/** Writes how the database servers of a page look now. */
export async function writeObservations(deps: DemoDeps, { page }: Pick<FilledPage, 'page'>): Promise<void> {
  const now = deps.clock.now();
  const minute = Math.floor(now / minuteMs);
  const known = new Set((await listObservations(deps, { pageId: page.id })).map(({ sourceId }) => sourceId));
  for (const [place, { staleMs, ...server }] of servers.entries()) {
    // A stale one was observed once.
    if (staleMs !== undefined && known.has(server.sourceId)) continue;
    const checkedAt = now - (staleMs ?? 0);
    const around = (value: number | null, most: number) =>
      value === null
        ? null
        : Math.max(0, value + Math.round(most * (2 * noiseAt(9_000 + place, minute) - 1)));
    const observation: CheckedObservation = {
      ...server,
      id: newId<ObservationId>(now),
      ...{ connectionId: null, environment: 'production', checkedAt },
      latencyMs: Math.round(server.latencyMs * (0.8 + 0.4 * noiseAt(9_100 + place, minute)) * 10) / 10,
      connections: around(server.connections, 3),
      activeSessions: around(server.activeSessions, 4),
    };
    await acceptObservation(deps, { pageId: page.id, observation });
  }
}
