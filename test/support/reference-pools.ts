import type { CurrentPool, ExporterLoss, PoolPoint } from '../../contract/database-health.js';
import type { CheckedPool } from '../../database-health/pool-reports/parse-pool-report.js';

/**
 * Measurements of a process, with the duration of each acquisition. The functions below compute every figure from all
 * reports at once, without merging.
 */
export type SampledReport = {
  process: number;
  /** Milliseconds since the epoch. */
  to: number;
  pools: readonly SampledPool[];
  dropped: number;
  failures: number;
};

export type SampledPool = Pick<
  CheckedPool,
  'pool' | 'coverage' | 'snapshot' | 'peaks' | 'failures' | 'created' | 'closed' | 'maximum'
> & { durationsMs: readonly number[] | null };

const boundsMs = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

/** Returns disjoint counts: a duration belongs to the first bucket whose bound it does not exceed. */
export function toCounts(durationsMs: readonly number[]): number[] {
  const counts = Array.from({ length: 11 }, () => 0);
  for (const ms of durationsMs) {
    const bucket = boundsMs.findIndex((bound) => ms <= bound);
    const at = bucket === -1 ? 10 : bucket;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

/** Computes the point of all intervals that end in a time span, excluding its first moment. */
export function referencePoint(
  reports: readonly SampledReport[],
  fromMs: number,
  toMs: number,
): Omit<PoolPoint, 'at'> {
  const pools = reports.filter(({ to }) => to > fromMs && to <= toMs).flatMap((report) => report.pools);
  const measured = pools.flatMap(({ durationsMs }) => (durationsMs === null ? [] : [durationsMs]));
  const sorted = measured.flat().sort((a, b) => a - b);
  const known = pools.filter(({ snapshot, maximum }) => snapshot.busy !== null && maximum !== null);
  const capacity = sumKnown(known.map(({ maximum }) => maximum));
  const busy = sumKnown(known.map(({ snapshot }) => snapshot.busy));
  const sumUs = sorted.reduce((sum, ms) => sum + Math.round(ms * 1000), 0);
  return {
    acquisitions: measured.length === 0 ? null : sorted.length,
    averageMs: sorted.length === 0 ? null : Math.round(sumUs / sorted.length) / 1000,
    p50Ms: boundAt(sorted, 50),
    p95Ms: boundAt(sorted, 95),
    p99Ms: boundAt(sorted, 99),
    failures: sumKnown(pools.map((pool) => pool.failures)),
    created: sumKnown(pools.map((pool) => pool.created)),
    closed: sumKnown(pools.map((pool) => pool.closed)),
    peakWaiting: maxKnown(pools.map((pool) => pool.peaks.waiting)),
    utilisation: busy === null || !capacity ? null : Math.round((busy / capacity) * 1e4) / 1e4,
    coverage: pools.length === 0 ? null : coverageOf(pools),
    thin: sorted.length < 100,
  };
}

/** Returns the duration at rank ⌈n·percent/100⌉ of the sorted durations, and the bound of its bucket. */
function boundAt(sorted: readonly number[], percent: number): number | string | null {
  const duration = sorted[Math.ceil((sorted.length * percent) / 100) - 1];
  return duration === undefined ? null : (boundsMs.find((bound) => duration <= bound) ?? '> 5000');
}

/** Computes a pool at `now`: the last interval of each process, unless it ended more than three minutes ago. */
export function referenceCurrent(
  reports: readonly SampledReport[],
  pool: string,
  now: number,
): Pick<CurrentPool, 'processes' | 'coverage' | 'reportedAt' | 'snapshot' | 'peaks'> | undefined {
  const newest = new Map<number, { to: number; of: SampledPool }>();
  for (const { process, to, pools } of reports) {
    const of = pools.find((candidate) => candidate.pool === pool);
    if (of !== undefined && to > (newest.get(process)?.to ?? 0)) newest.set(process, { to, of });
  }
  const live = [...newest.values()].filter(({ to }) => to >= now - 180_000);
  if (live.length === 0) return undefined;
  const gauge = (name: keyof SampledPool['snapshot']) => live.map(({ of }) => of.snapshot[name]);
  const peak = (name: keyof SampledPool['peaks']) => maxKnown(live.map(({ of }) => of.peaks[name]));
  const names = ['open', 'busy', 'idle', 'waiting'] as const;
  const mixed = names.some((name) => new Set(gauge(name).map((value) => value === null)).size === 2);
  return {
    processes: live.length,
    coverage: mixed ? 'partial' : coverageOf(live.map(({ of }) => of)),
    reportedAt: new Date(Math.max(...live.map(({ to }) => to))).toISOString(),
    snapshot: {
      open: sumKnown(gauge('open')),
      busy: sumKnown(gauge('busy')),
      idle: sumKnown(gauge('idle')),
      waiting: sumKnown(gauge('waiting')),
    },
    peaks: { open: peak('open'), busy: peak('busy'), waiting: peak('waiting') },
  };
}

/** Computes the loss of processes that all began after the start of the range: the last values of their counters. */
export function referenceLoss(
  reports: readonly SampledReport[],
): Pick<ExporterLoss, 'processes' | 'dropped' | 'failures'> {
  const last = new Map<number, SampledReport>();
  for (const report of reports) {
    if (report.to > (last.get(report.process)?.to ?? 0)) last.set(report.process, report);
  }
  const sum = (counter: 'dropped' | 'failures') =>
    [...last.values()].reduce((total, report) => total + report[counter], 0);
  return { processes: last.size, dropped: sum('dropped'), failures: sum('failures') };
}

function coverageOf(pools: readonly SampledPool[]): 'complete' | 'partial' {
  return pools.some(({ coverage }) => coverage === 'partial') ? 'partial' : 'complete';
}

function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function maxKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
