import type { Counts, ExplicitCounts, ExponentialCounts } from './histogram.js';

/** A count of requests with its buckets, at one time. */
export type Snapshot = { count: number; counts: Counts };

/**
 * Requests between two snapshots; `counts` is undefined when the buckets of the two cannot be compared, so that nothing
 * is known about the response times.
 */
export type Difference = { count: number; counts: Counts | undefined };

/** The buckets of two exponential snapshots apart at most; the SDKs have 160 each. */
const spanMax = 4_000;

/**
 * Returns what was counted between two snapshots of one series; `undefined` when a count has fallen, which a count since
 * a start cannot. Exponential buckets of different scales are compared in the coarser one.
 */
export function differenceOf(before: Snapshot, now: Snapshot): Difference | undefined {
  const count = now.count - before.count;
  if (count < 0) return undefined;
  const counts = subtract(before.counts, now.counts);
  return counts === 'fell' ? undefined : { count, counts };
}

function subtract(before: Counts, now: Counts): Counts | undefined | 'fell' {
  if (before.kind === 'explicit') return now.kind === 'explicit' ? subtractExplicit(before, now) : undefined;
  return now.kind === 'exponential' ? subtractExponential(before, now) : undefined;
}

function subtractExplicit(before: ExplicitCounts, now: ExplicitCounts): Counts | undefined | 'fell' {
  if (before.layout !== now.layout || before.counts.length !== now.counts.length) return undefined;
  const counts: number[] = [];
  for (let i = 0; i < now.counts.length; i += 1) {
    const more = (now.counts[i] ?? 0) - (before.counts[i] ?? 0);
    if (more < 0) return 'fell';
    counts.push(more);
  }
  return { kind: 'explicit', layout: now.layout, counts };
}

/**
 * A bucket may be lower than before while the count is not: a sender that widens the zero bucket moves counts there.
 * Nothing is known about the response times then.
 */
function subtractExponential(before: ExponentialCounts, now: ExponentialCounts): Counts | undefined {
  const scale = Math.min(before.scale, now.scale);
  const [from, to] = [downscaled(before, scale), downscaled(now, scale)];
  const zero = to.zero - from.zero;
  if (zero < 0) return undefined;
  const [first, end] = rangeOf(from, to);
  if (end - first > spanMax) return undefined;
  const counts: number[] = [];
  for (let i = first; i < end; i += 1) {
    const more = (to.counts[i - to.first] ?? 0) - (from.counts[i - from.first] ?? 0);
    if (more < 0) return undefined;
    counts.push(more);
  }
  return { kind: 'exponential', scale, zero, first, counts };
}

/** An empty side has no place. */
function rangeOf(one: ExponentialCounts, other: ExponentialCounts): [first: number, end: number] {
  if (one.counts.length === 0) return [other.first, other.first + other.counts.length];
  if (other.counts.length === 0) return [one.first, one.first + one.counts.length];
  return [
    Math.min(one.first, other.first),
    Math.max(one.first + one.counts.length, other.first + other.counts.length),
  ];
}

/** Merges 2^n neighbours into a bucket of a scale that is lower by n: each bound of the coarser is one of the finer. */
function downscaled(from: ExponentialCounts, scale: number): ExponentialCounts {
  if (from.scale === scale) return from;
  const factor = 2 ** (from.scale - scale);
  const first = Math.floor(from.first / factor);
  const counts: number[] = [];
  for (const [i, count] of from.counts.entries()) {
    const at = Math.floor((from.first + i) / factor) - first;
    counts[at] = (counts[at] ?? 0) + count;
  }
  return { ...from, scale, first, counts };
}
