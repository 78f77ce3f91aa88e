import { limits } from '../../contract/limits.js';
import { minuteMs } from '../../lib/times.js';
import type { LeftOutReason } from '../otlp/left-out.js';
import type { Bucket } from '../otlp/spread.js';
import { differenceOf } from './difference.js';
import { bucketsOf, type Histogram } from './histogram.js';
import { type Group, type Series, weightOf } from './series.js';

/** A data point that counts since a start. */
export type Point = {
  /** Its sender and metric, as of groupKeyOf(). */
  readonly group: string;
  /** Its attributes, as of SeriesHash. */
  readonly hash: number;
  /** When its sender began to count, in milliseconds since the epoch; 0 when the sender does not say. */
  readonly startMs: number;
  /** In milliseconds since the epoch; 0 when the sender does not say, for the time of arrival. */
  readonly timeMs: number;
  readonly histogram: Histogram;
};

/**
 * Requests that count with a point, or why none do. They have ended from `startedAt` on, in milliseconds since the epoch:
 * the time of the point before, or the start of a series.
 */
export type Advance = New | CumulativeReason;
type New = { count: number; buckets: readonly Bucket[]; startedAt: number };

/** Why a cumulative data point, or a part of its count, does not count. */
export type CumulativeReason = Extract<
  LeftOutReason,
  | 'no_requests'
  | 'seen_before'
  | 'first_of_series'
  | 'counts_fell'
  | 'too_many_series'
  | 'too_many_requests'
  | 'counted_by_spans'
>;

/** The room that is left for what a point adds. */
export type Room = {
  /** Takes so many series of the page, unless there are fewer left. */
  takeSeries(weight: number): boolean;
  /** Takes so many requests of the write, unless there are fewer left. */
  takeRequests(count: number): boolean;
};

const freshMs = limits.cumulativeFreshMinutes * minuteMs;

/**
 * Notes a point in its group, and returns what is new in it. `arrival` is in milliseconds since the epoch. `known` is its
 * series when the caller has it. A point that gets no room is as if it had never come: the next one has its count, too.
 */
export function advance(
  group: Group,
  { hash, startMs, timeMs: sentMs, histogram }: Point,
  { arrival, room, known }: { arrival: number; room: Room; known?: Series | undefined },
): Advance {
  const { count, counts } = histogram;
  const series = known ?? group.find(hash, startMs);
  const timeMs = sentMs === 0 ? arrival : sentMs;
  const last = { timeMs, seenMinute: Math.floor(arrival / minuteMs), count, counts };
  if (series === undefined) {
    const isWhole = isKnownFromStart(group, hash, startMs, arrival) && count <= limits.otlpRequestsMax;
    if (isWhole && !room.takeRequests(count)) return 'too_many_requests';
    if (!hasRoom(group, weightOf(counts), room)) return 'too_many_series';
    group.add({ hash, startMs, ...last, next: undefined });
    if (count === 0) return 'no_requests';
    return isWhole ? whole(histogram, startMs) : 'first_of_series';
  }
  if (timeMs <= series.timeMs) return 'seen_before';
  const difference = differenceOf(series, histogram);
  // Without a start, nothing else tells that its sender began anew.
  const isReset = difference === undefined && startMs === 0;
  if (difference === undefined && !isReset) return 'counts_fell';
  const more = difference?.count ?? count;
  // A further point would only have more: the series goes on from here.
  const isTooMany = more > limits.otlpRequestsMax;
  if (!isTooMany && !room.takeRequests(more)) return 'too_many_requests';
  if (!hasRoom(group, weightOf(counts) - weightOf(series.counts), room)) return 'too_many_series';
  const startedAt = series.timeMs;
  group.advance(series, last);
  if (isTooMany) return 'too_many_requests';
  if (more === 0) return 'no_requests';
  if (difference === undefined) return whole(histogram, startedAt);
  const { counts: between } = difference;
  const part = { ...histogram, count: more };
  return { count: more, buckets: between === undefined ? [] : bucketsOf(part, between, false), startedAt };
}

const idleMs = limits.cumulativeIdleMinutes * minuteMs;

/**
 * Whether nothing of the series was counted before its first point: its sender has just begun, or began after the last
 * point of the same series under another start. A series that began within the idle time and had a point is not
 * forgotten; an older one may be, and have counted.
 */
function isKnownFromStart(group: Group, hash: number, startMs: number, arrival: number): boolean {
  if (startMs === 0) return false;
  if (startMs > arrival - freshMs) return true;
  if (startMs <= arrival - idleMs) return false;
  const newest = group.newestTimeMs(hash);
  return newest !== undefined && startMs >= newest;
}

function hasRoom(group: Group, weight: number, room: Room): boolean {
  if (weight <= 0) return true;
  return group.weight + weight <= limits.cumulativeSeriesPerMetric && room.takeSeries(weight);
}

function whole(histogram: Histogram, startedAt: number): New {
  return { count: histogram.count, buckets: bucketsOf(histogram, histogram.counts, true), startedAt };
}
