import type { CurrentPool, PoolPoint } from '../../../../contract/database-health.js';

/** Dimensions in the order in which people go down to one pool. */
export const levels = ['service', 'target', 'pool', 'serverPool'] as const;
export type Level = (typeof levels)[number];

/** The level whose groups are listed below what the address has chosen. */
export function levelOf(chosen: Readonly<Partial<Record<Level, string>>>): Level {
  return levels.find((level) => chosen[level] === undefined) ?? 'serverPool';
}

const daySeconds = 86_400;
const stepDaysMax = 14;
const minuteMs = 60_000;

/**
 * A step in seconds that contains the whole range, so that the API answers one point with the figures of all of it:
 * percentiles cannot be computed from percentiles of parts. Steps begin with the epoch. The longest step, which then cuts the
 * range in two, when none contains it. Times are in milliseconds.
 */
export function summaryStep({ from, to }: { from: number; to: number }): number {
  const isWithin = (seconds: number): boolean => {
    // The API moves both ends to whole minutes, and a range up to now goes on.
    const [first, last] = [from - minuteMs, to + minuteMs].map((at) => Math.floor(at / 1_000 / seconds));
    return first === last;
  };
  for (let days = stepDaysMax; days > 0; days--) if (isWithin(days * daySeconds)) return days * daySeconds;
  return stepDaysMax * daySeconds;
}

export type Percentile = PoolPoint['p95Ms'];

export type Summary = Pick<
  PoolPoint,
  'acquisitions' | 'failures' | 'peakWaiting' | 'p95Ms' | 'p99Ms' | 'utilisation' | 'coverage' | 'thin'
>;

/**
 * The figures of a range from its points: one, or two when no step contains it. Of two percentiles the higher, which
 * that of both is not above; a utilisation counts as long as its part of the range. Times are in milliseconds.
 */
export function summarize(
  points: readonly PoolPoint[],
  { from, to, stepSeconds }: { from: number; to: number; stepSeconds: number },
): Summary {
  const weightOf = ({ at }: PoolPoint): number => {
    const start = Date.parse(at);
    return Math.max(0, Math.min(to, start + stepSeconds * 1_000) - Math.max(from, start));
  };
  const used = points.filter(({ utilisation }) => utilisation !== null);
  const weight = sumOf(used.map(weightOf)) ?? 0;
  const acquisitions = sumOf(points.map((point) => point.acquisitions));
  return {
    acquisitions,
    failures: sumOf(points.map(({ failures }) => failures)),
    peakWaiting: largestOf(points.map(({ peakWaiting }) => peakWaiting)),
    p95Ms: largestOf(points.map(({ p95Ms }) => p95Ms)),
    p99Ms: largestOf(points.map(({ p99Ms }) => p99Ms)),
    utilisation:
      weight === 0
        ? null
        : (sumOf(used.map((point) => (point.utilisation ?? 0) * weightOf(point))) ?? 0) / weight,
    coverage: worstOf(points.map(({ coverage }) => coverage)),
    thin: points.every(({ thin }) => thin),
  };
}

/** The number that a percentile is drawn at: the last bucket has no end, and is drawn where it begins. */
export function heightOf(percentile: Percentile): number | null {
  return typeof percentile === 'string' ? Number(percentile.replace(/^> /, '')) : percentile;
}

/** Whether a percentile is in the bucket without an end. */
export function isBeyond(percentile: Percentile): boolean {
  return typeof percentile === 'string';
}

/** The present figures of a group of pools. */
export type CurrentGroup = Pick<CurrentPool, 'processes' | 'coverage'> & CurrentPool['snapshot'];

/** Pools of the same group as one; processes that have several of them count once. */
export function groupCurrent(pools: readonly CurrentPool[], level: Level): ReadonlyMap<string, CurrentGroup> {
  const groups = new Map<string, CurrentGroup>();
  for (const pool of pools) groups.set(pool[level], addPool(groups.get(pool[level]), pool));
  return groups;
}

function addPool(
  group: CurrentGroup | undefined,
  { processes, coverage, snapshot }: CurrentPool,
): CurrentGroup {
  if (group === undefined) return { processes, coverage, ...snapshot };
  return {
    processes: Math.max(group.processes, processes),
    coverage: worstOf([group.coverage, coverage]) ?? coverage,
    open: sumOf([group.open, snapshot.open]),
    busy: sumOf([group.busy, snapshot.busy]),
    idle: sumOf([group.idle, snapshot.idle]),
    waiting: sumOf([group.waiting, snapshot.waiting]),
  };
}

/** The sum of what was measured; null when nothing was. */
export function sumOf(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);
}

function largestOf<T extends Percentile>(values: readonly T[]): T | null {
  const rank = (value: T): number => (heightOf(value) ?? -1) + (isBeyond(value) ? 0.5 : 0);
  return values.reduce<T | null>(
    (best, value) => (best === null || rank(value) > rank(best) ? value : best),
    null,
  );
}

function worstOf(coverages: readonly PoolPoint['coverage'][]): PoolPoint['coverage'] {
  if (coverages.includes('partial')) return 'partial';
  return coverages.includes('complete') ? 'complete' : null;
}
