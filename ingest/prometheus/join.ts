import { secondMs } from '../../lib/times.js';
import { layoutOf } from '../cumulative/histogram.js';
import type { Counted } from './native.js';
import { type Buckets, countKey, lastKey, type PartialPoint, type SentSeries } from './read-histograms.js';

/** A point that waits for its other buckets. `sinceMs` is when its first one arrived. */
export type WaitingPoint = PartialPoint & { sinceMs: number };

/** The points of one histogram whose buckets have not all arrived. */
export type Joining = {
  /** The buckets that a point has, as the last one had them; none before the first. */
  bounds: ReadonlySet<string>;
  /** The newest point that has counted, in milliseconds since the epoch; 0 before the first. */
  countedAtMs: number;
  /** In ascending order of their times. */
  waiting: readonly WaitingPoint[];
};

/**
 * `whole` are the points that may count, in order; they wait in `after` as well, until noteCounted() says that they have
 * counted. `late` and `incomplete` are numbers of samples.
 */
export type Joined = { after: Joining; whole: WaitingPoint[]; late: number; incomplete: number };

/**
 * A point counts without its missing buckets after so long: Prometheus sends a batch after 5 s, and tries again after 5 s
 * at most while it cannot.
 */
export const waitMs = 60 * secondMs;
/** Points of a histogram that wait at most. The oldest goes: newer points include its counts. */
export const waitingMax = 16;

/**
 * Adds the buckets of a body to those that wait. Prometheus sends every bucket as a series of its own, over several
 * connections and in batches that end anywhere. Only whole points can be subtracted: the requests between two bounds
 * are the difference of two counters at the same time, so counters that are taken one by one would say less than
 * nothing about some buckets. A point is whole when it has every bucket of the point before. The buckets of the first are
 * not known, so it waits for the second; it does not count anyway, unless its sender says when it has started.
 *
 * Counts are exact whichever points are left out, because the next one includes them.
 */
export function joinBuckets(before: Joining, sent: SentSeries, nowMs: number): Joined {
  const learned = new Set([...before.bounds].filter((bound) => !sent.ended.has(bound)));
  const points = new Map(before.waiting.map((point) => [point.atMs, point]));
  let late = 0;
  for (const partial of sent.partial.values()) {
    if (partial.atMs > before.countedAtMs) points.set(partial.atMs, merged(points, partial, nowMs));
    else late += partial.buckets.size;
    // The point before lacked these: the next one has them.
    if (partial.atMs === before.countedAtMs)
      for (const bound of boundsOf(partial.buckets)) learned.add(bound);
  }
  const waiting = [...points.values()].sort((a, b) => a.atMs - b.atMs);
  const dropped = waiting.splice(0, Math.max(0, waiting.length - waitingMax));
  let bounds = essential(learned);
  const whole: WaitingPoint[] = [];
  for (const point of waiting) {
    const isFirst = bounds.size === 0;
    const isWhole = isFirst
      ? point !== waiting.at(-1)
      : [...bounds].every((bound) => point.buckets.has(bound));
    if (!(isWhole || nowMs - point.sinceMs >= waitMs) || totalOf(point.buckets) === undefined) continue;
    whole.push(point);
    bounds = boundsOf(point.buckets);
  }
  const newest = whole.at(-1)?.atMs ?? 0;
  const passed = waiting.filter((point) => point.atMs < newest && !whole.includes(point));
  return {
    after: { ...before, bounds, waiting: waiting.filter((point) => !passed.includes(point)) },
    whole,
    late,
    incomplete: [...dropped, ...passed].reduce((sum, { buckets }) => sum + buckets.size, 0),
  };
}

/** Forgets the points up to one that has counted. */
export function noteCounted(joining: Joining, atMs: number): Joining {
  const countedAtMs = Math.max(joining.countedAtMs, atMs);
  return { ...joining, countedAtMs, waiting: joining.waiting.filter((point) => point.atMs > countedAtMs) };
}

/** Returns the counts between the bounds of a point; `undefined` when they descend, or when it has no count. */
export function countBuckets(buckets: Buckets): Counted | undefined {
  const count = totalOf(buckets);
  if (count === undefined) return undefined;
  const bounds = [...buckets.keys()]
    .map(Number)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const counts: number[] = [];
  let below = 0;
  for (const bound of bounds) {
    const upTo = buckets.get(String(bound)) ?? 0;
    counts.push(upTo - below);
    below = upTo;
  }
  // A histogram without bounds has its count alone.
  if (bounds.length > 0) counts.push(count - below);
  if (counts.some((between) => between < 0)) return undefined;
  return { count, bounds, counts: { kind: 'explicit', layout: layoutOf(bounds), counts } };
}

function merged(
  points: ReadonlyMap<number, WaitingPoint>,
  { atMs, startMs, buckets }: PartialPoint,
  nowMs: number,
): WaitingPoint {
  const there = points.get(atMs);
  return {
    atMs,
    startMs: startMs ?? there?.startMs,
    sinceMs: there?.sinceMs ?? nowMs,
    buckets: new Map([...(there?.buckets ?? []), ...buckets]),
  };
}

/** The last bucket has every request. A timer without buckets, as Micrometer's usual ones, has a count alone. */
function totalOf(buckets: Buckets): number | undefined {
  return buckets.get(lastKey) ?? (buckets.size === 1 ? buckets.get(countKey) : undefined);
}

/** Returns the bounds that make a point whole. */
export const boundsOf = (buckets: Buckets): ReadonlySet<string> => essential(buckets.keys());

/** The count beside the buckets is the same as the last bucket, so nothing waits for it. */
function essential(bounds: Iterable<string>): ReadonlySet<string> {
  const all = new Set(bounds);
  if (all.size > 1) all.delete(countKey);
  return all;
}
