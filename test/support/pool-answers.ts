import type { Page } from 'playwright-core';
import type {
  AcquisitionsAnswer,
  CurrentPool,
  DatabaseHealthAnswer,
  DatabaseSource,
  PoolPoint,
} from '../../contract/database-health.js';
import { acquisitionBoundsMs } from '../../contract/pool-reports.js';
import { bucketPercentile } from '../../database-health/series.js';
import type { RangeNotes } from '../../lib/kept.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { allKept } from './kept.js';

const stepMs = 5 * minuteMs;
const steps = 72;

/** Steps without a report, in every group. */
const silentSteps = new Set([30, 31, 32, 33]);
/** Steps in which callers queue. */
const isBusy = (step: number): boolean => step >= 48 && step < 56;

type Fixture = { from: number; to: number };

const groupsOf = {
  service: ['checkout', 'search', 'billing', 'mail'],
  target: ['orders', 'stock'],
  pool: ['main', 'reports'],
  serverPool: ['primary', 'replica'],
} as const;

function countsOf(step: number, size: number): number[] {
  const wave = 1 + 0.4 * Math.sin(step / 9) + 0.15 * Math.sin(step * 2.7);
  const slow = isBusy(step) ? [20, 60, 140, 260, 420, 380, 220, 90, 30, 12, 3] : [];
  const usual = [2_400, 900, 310, 120, 40, 14, 5, step % 7 === 0 ? 2 : 0, 0, 0, 0];
  return usual.map((count, i) => Math.round((count * wave) / size + (slow[i] ?? 0) / size));
}

function pointOf(at: number, step: number, size: number): PoolPoint {
  const time = { at: new Date(at).toISOString() };
  if (silentSteps.has(step)) {
    return {
      ...time,
      ...{ acquisitions: null, averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null, failures: null },
      ...{ created: null, closed: null, peakWaiting: null, utilisation: null, coverage: null, thin: true },
    };
  }
  const counts = countsOf(step, size);
  const load = 0.28 + 0.14 * Math.sin(step / 7 + size) + (isBusy(step) ? 0.4 / size : 0);
  return {
    ...time,
    acquisitions: counts.reduce((sum, count) => sum + count, 0),
    averageMs: 7.5,
    p50Ms: bucketPercentile(counts, 50),
    p95Ms: bucketPercentile(counts, 95),
    p99Ms: bucketPercentile(counts, 99),
    failures: isBusy(step) ? Math.round(18 / size) : 0,
    ...{ created: 3, closed: 1, coverage: 'complete', thin: false },
    peakWaiting: isBusy(step) ? Math.round(26 / size) : step % 5 === 0 ? 1 : 0,
    utilisation: Math.round(load * 1e4) / 1e4,
  };
}

const source = (fields: Partial<DatabaseSource>, now: number, ageMs: number): DatabaseSource => ({
  ...{ sourceId: 'orders-db', engine: 'postgresql', environment: 'production', target: 'orders' },
  ...{ connectionId: null, fresh: ageMs <= 15 * minuteMs, outcome: 'connected', latencyMs: 3.2 },
  ...{ observedAt: new Date(now - ageMs).toISOString(), capabilities: [] },
  ...{ connections: 61, connectionLimit: 100, activeSessions: 12, blockedSessions: 0 },
  ...fields,
});

function sourcesAt(now: number): DatabaseSource[] {
  return [
    source({}, now, 42_000),
    source(
      {
        ...{ sourceId: 'stock-db', engine: 'mysql', target: 'stock', latencyMs: 11.4 },
        ...{ connections: 188, connectionLimit: 200, activeSessions: 77, blockedSessions: 4 },
      },
      now,
      61_000,
    ),
    source(
      {
        ...{ sourceId: 'carts-db', engine: 'mongodb', target: 'carts' },
        ...{ connections: 240, connectionLimit: null, activeSessions: null, blockedSessions: null },
      },
      now,
      90_000,
    ),
    source({ sourceId: 'reports-db', target: 'reports', connections: 4 }, now, 2.4 * hourMs),
    source(
      {
        ...{ sourceId: 'billing-db', target: 'billing', outcome: 'timeout', latencyMs: 5_000 },
        ...{ connections: null, connectionLimit: null, activeSessions: null, blockedSessions: null },
      },
      now,
      20_000,
    ),
  ];
}

function currentPoolsAt(now: number): CurrentPool[] {
  return groupsOf.service.slice(0, 3).flatMap((service, i) =>
    groupsOf.target.map((target, j) => ({
      ...{ service, environment: 'production', system: 'postgresql', target, pool: 'main' },
      serverPool: 'primary',
      processes: 4 - i,
      coverage: i === 2 ? ('partial' as const) : ('complete' as const),
      reportedAt: new Date(now - 20_000).toISOString(),
      snapshot: { open: 30 - i, busy: 12 + j, idle: 18 - i - j, waiting: i === 0 && j === 1 ? 3 : 0 },
      peaks: { open: 12, busy: 9, waiting: 3 },
    })),
  );
}

/** The answer for a page with servers and pools, six hours up to `now`; of one step when `step` is given. */
export function makeDatabaseHealth(
  now: number,
  { groupBy = null, step }: { groupBy?: DatabaseHealthAnswer['groupBy']; step?: number | undefined } = {},
): DatabaseHealthAnswer {
  const { from, to } = rangeUpTo(now);
  const groups: readonly (string | null)[] =
    groupBy === null || !(groupBy in groupsOf) ? [null] : groupsOf[groupBy as keyof typeof groupsOf];
  const pointsOf = (size: number): PoolPoint[] =>
    step === undefined
      ? Array.from({ length: steps }, (_, i) => pointOf(from + i * stepMs, i, size))
      : [{ ...pointOf(0, 52, size), at: new Date(from).toISOString() }];
  return {
    ...{
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      step: step ?? stepMs / 1_000,
      groupBy,
      ...allKept,
    },
    sources: sourcesAt(now),
    current: { pools: currentPoolsAt(now), truncated: false },
    series: groups.map((group, i) => ({ group, points: pointsOf(i + 1) })),
    truncated: false,
    exporters: {
      services: [
        { service: 'checkout', environment: 'production', processes: 4, dropped: 0, failures: 0 },
        { service: 'search', environment: 'staging', processes: 3, dropped: 12, failures: 40 },
      ],
      truncated: false,
    },
  };
}

/** The durations of the same pools. */
function makeAcquisitions(now: number): AcquisitionsAnswer {
  const { from, to } = rangeUpTo(now);
  return {
    ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString(), step: stepMs / 1_000 },
    ...allKept,
    boundsMs: [...acquisitionBoundsMs],
    points: Array.from({ length: steps }, (_, i) => ({
      at: new Date(from + i * stepMs).toISOString(),
      buckets: silentSteps.has(i) ? null : countsOf(i, 1),
    })),
  };
}

function rangeUpTo(now: number): Fixture {
  const to = Math.ceil(now / stepMs) * stepMs;
  return { from: to - steps * stepMs, to };
}

/** Answers the reads of database health with these figures from now on; the returned list grows by what is asked. */
export async function answerDatabaseHealth(
  page: Page,
  now: number,
  notes: Partial<RangeNotes> = {},
): Promise<URL[]> {
  const asked: URL[] = [];
  await page.route(/\/analytics\/database-health/, (route) => {
    const url = new URL(route.request().url());
    asked.push(url);
    const step = url.searchParams.get('step');
    const groupBy = url.searchParams.get('groupBy') as DatabaseHealthAnswer['groupBy']; // The dashboard names one.
    const json = url.pathname.endsWith('/acquisitions')
      ? makeAcquisitions(now)
      : makeDatabaseHealth(now, { groupBy, step: step === null ? undefined : Number(step) });
    return route.fulfill({ json: { ...json, ...notes } });
  });
  return asked;
}
