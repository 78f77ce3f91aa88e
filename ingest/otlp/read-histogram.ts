import type { Message } from '../../lib/protobuf/decode.js';
import { type Counts, type Histogram, layoutOf } from '../cumulative/histogram.js';
import { listOf, numberOf, objectOf } from './tree.js';

/** The buckets of a data point; the SDKs make 15, or 160 exponential ones. */
const bucketsMax = 1_000;
/** The scales that the SDKs use end at -10 and 20. Beyond 30, a bucket holds everything or next to nothing. */
const scaleMax = 30;

/** The bounds of the last histogram: the data points of a body usually share them. */
let last: { bounds: readonly number[]; layout: number } = { bounds: [], layout: layoutOf([]) };

/**
 * Reads a data point of a histogram with explicit buckets. A histogram without buckets has its count alone. Returns
 * `undefined` for buckets that do not fit together.
 */
export function readExplicit(point: Message, perUnitMs: number): Histogram | undefined {
  const bounds = boundsOf(point['explicitBounds']);
  const counts = countsOf(point['bucketCounts']);
  const count = countOf(point['count'] ?? 0);
  if (counts === undefined || count === undefined || bounds === undefined) return undefined;
  const isCountAlone = counts.length === 0 && bounds.length === 0;
  if (!isCountAlone && (counts.length !== bounds.length + 1 || sum(counts) !== count)) return undefined;
  return histogramOf(
    point,
    count,
    { kind: 'explicit', layout: layoutOfShared(bounds), counts },
    bounds,
    perUnitMs,
  );
}

/** The same for exponential buckets: bucket `i` holds values from base^(offset+i) to base^(offset+i+1). */
export function readExponential(point: Message, perUnitMs: number): Histogram | undefined {
  const positive = objectOf(point['positive']);
  const counts = countsOf(positive['bucketCounts']);
  const zero = countOf(point['zeroCount'] ?? 0);
  const count = countOf(point['count'] ?? 0);
  const [scale, first] = [numberOf(point['scale'] ?? 0), numberOf(positive['offset'] ?? 0)];
  if (counts === undefined || zero === undefined || count === undefined) return undefined;
  if (zero + sum(counts) !== count) return undefined;
  if (scale === undefined || !Number.isInteger(scale) || Math.abs(scale) > scaleMax) return undefined;
  if (first === undefined || !Number.isInteger(first)) return undefined;
  return histogramOf(point, count, { kind: 'exponential', scale, zero, first, counts }, [], perUnitMs);
}

function histogramOf(
  { min, max }: Message,
  count: number,
  counts: Counts,
  bounds: readonly number[],
  perUnitMs: number,
): Histogram {
  return { count, counts, bounds, min: numberOf(min), max: numberOf(max), perUnitMs };
}

/** Returns bounds that ascend; `undefined` for others. */
function boundsOf(list: unknown): readonly number[] | undefined {
  const sent = listOf(list);
  if (isEqual(sent, last.bounds)) return last.bounds;
  const bounds: number[] = [];
  for (const one of sent) {
    const bound = numberOf(one);
    if (bound === undefined || bound <= (bounds.at(-1) ?? Number.NEGATIVE_INFINITY)) return undefined;
    bounds.push(bound);
  }
  return bounds;
}

function isEqual(sent: readonly unknown[], bounds: readonly number[]): boolean {
  if (sent.length !== bounds.length) return false;
  for (let i = 0; i < sent.length; i += 1) if (sent[i] !== bounds[i]) return false;
  return true;
}

function layoutOfShared(bounds: readonly number[]): number {
  if (bounds !== last.bounds) last = { bounds, layout: layoutOf(bounds) };
  return last.layout;
}

function countsOf(list: unknown): number[] | undefined {
  const sent = listOf(list);
  if (sent.length > bucketsMax) return undefined;
  const counts: number[] = [];
  for (const one of sent) {
    const count = countOf(one);
    if (count === undefined) return undefined;
    counts.push(count);
  }
  return counts;
}

function countOf(value: unknown): number | undefined {
  const count = typeof value === 'number' ? value : numberOf(value);
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
