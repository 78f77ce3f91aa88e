import { randomUUID } from 'node:crypto';
import type { CheckedPool, CheckedPoolReport } from '../../database-health/pool-reports/parse-pool-report.js';
import type { PoolReportBlock } from '../../database-health/pool-reports/stored-reports.js';
import { type PageId, parseId, type SessionId } from '../../lib/ids.js';

/** The fields of a report that matter to a test; `to` is in milliseconds since the epoch. */
export type PoolReportPart = Partial<Omit<CheckedPoolReport, 'to' | 'pools'>> & {
  to: number;
  pools?: readonly Partial<CheckedPool>[];
};

export function newSession(): SessionId {
  const session = parseId<SessionId>(randomUUID());
  if (session === undefined) throw new Error('The session is not a UUID.');
  return session;
}

/** Returns reports of a minute each, by default of a new session with one pool. Fields not given are not measured. */
export function makePoolBlock(pageId: PageId, reports: readonly PoolReportPart[]): PoolReportBlock {
  return {
    id: randomUUID(),
    reports: reports.map((report) => ({ pageId, receivedAt: report.to, report: makeReport(report) })),
  };
}

function makeReport({ pools = [usualPool], ...given }: PoolReportPart): CheckedPoolReport {
  const from = given.from ?? given.to - 60_000;
  return {
    version: 1,
    session: newSession(),
    sequence: Math.floor(given.to / 1000),
    service: 'api',
    environment: 'production',
    revision: 'r1',
    startedAt: from,
    exporter: { dropped: 0, failures: 0 },
    ...given,
    from,
    pools: pools.map(makePool),
  };
}

/** Ten acquisitions of 1 to 5 ms. */
const usualPool: Partial<CheckedPool> = {
  acquisition: { counts: [0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0], sumMs: 30 },
};

function makePool(given: Partial<CheckedPool>): CheckedPool {
  return {
    system: 'mongodb',
    target: 'orders',
    pool: 'main',
    serverPool: 'primary',
    driverVersion: '7.0.0',
    coverage: 'complete',
    supported: [],
    snapshot: { open: null, busy: null, idle: null, waiting: null },
    peaks: { open: null, busy: null, waiting: null },
    acquisition: null,
    failures: null,
    created: null,
    closed: null,
    minimum: null,
    maximum: null,
    ...given,
  };
}
