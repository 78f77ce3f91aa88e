import { limits } from '../../contract/limits.js';
import type { Bucket } from '../otlp/spread.js';

/** Counts between bounds that ascend: one more than bounds, or none for a histogram that knows its count alone. */
export type ExplicitCounts = {
  readonly kind: 'explicit';
  /** Tells bounds apart, as of layoutOf(); 32 bits. */
  readonly layout: number;
  readonly counts: readonly number[];
};

/** Counts of the buckets from `first` on: bucket i holds values above base^i up to base^(i+1); the base is 2^(2^-scale). */
export type ExponentialCounts = {
  readonly kind: 'exponential';
  readonly scale: number;
  /** Count of values that are zero, or next to it. */
  readonly zero: number;
  readonly first: number;
  readonly counts: readonly number[];
};

export type Counts = ExplicitCounts | ExponentialCounts;

/** The counts of a data point, and where its buckets are, in its unit. */
export type Histogram = {
  /** Requests in all buckets. */
  count: number;
  counts: Counts;
  /** Where explicit buckets end; empty for others. */
  bounds: readonly number[];
  /** The least and the greatest value, when the sender has them. */
  min: number | undefined;
  max: number | undefined;
  perUnitMs: number;
};

/** Returns a number for the bounds of a histogram, in 32 bits: FNV-1a over the halves of their doubles. */
export function layoutOf(bounds: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const bound of bounds) {
    double[0] = bound;
    hash = Math.imul(hash ^ (halves[0] ?? 0), 0x01000193);
    hash = Math.imul(hash ^ (halves[1] ?? 0), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

/**
 * Returns the buckets with requests of `counts`, in milliseconds. The least and the greatest value of `of` narrow the
 * buckets that they are in; pass `isWhole` as false for a part of its counts, whose least and greatest values are not
 * known. Without a greatest, the last bucket is its bound.
 */
export function bucketsOf(of: Histogram, counts: Counts, isWhole: boolean): Bucket[] {
  const [min, max] = isWhole ? [of.min, of.max] : [undefined, undefined];
  const knowsOne = min !== undefined && max !== undefined;
  if (counts.kind === 'explicit' && of.bounds.length === 0)
    return knowsOne ? [narrowed(of, of.count, 0, Number.POSITIVE_INFINITY, min, max)] : [];
  const buckets: Bucket[] = [];
  if (counts.kind === 'exponential' && counts.zero > 0)
    buckets.push(narrowed(of, counts.zero, 0, 0, min, max));
  const perBucket = counts.kind === 'exponential' ? 2 ** -counts.scale : 0;
  for (let i = 0; i < counts.counts.length; i += 1) {
    const count = counts.counts[i] ?? 0;
    if (count === 0) continue;
    const isExplicit = counts.kind === 'explicit';
    const lower = isExplicit ? edgeOf(of.bounds, i - 1) : 2 ** ((counts.first + i) * perBucket);
    const upper = isExplicit ? edgeOf(of.bounds, i) : 2 ** ((counts.first + i + 1) * perBucket);
    buckets.push(narrowed(of, count, lower, upper, min, max));
  }
  return buckets;
}

function edgeOf(bounds: readonly number[], i: number): number {
  if (i < 0) return 0;
  return Math.max(0, bounds[i] ?? Number.POSITIVE_INFINITY);
}

function narrowed(
  { perUnitMs }: Histogram,
  count: number,
  lower: number,
  upper: number,
  min: number | undefined,
  max: number | undefined,
): Bucket {
  const from = Math.min(Math.max(lower, min ?? lower), upper);
  const to = Math.max(from, Math.min(upper, max ?? (upper === Number.POSITIVE_INFINITY ? lower : upper)));
  return { count, fromMs: toMs(from * perUnitMs), toMs: toMs(to * perUnitMs) };
}

const toMs = (value: number): number => Math.min(value, limits.latencyMsMax);
