import type { Message } from '../../lib/protobuf/decode.js';
import { type Histogram, layoutOf } from '../cumulative/histogram.js';
import type { IgnoredReason } from './ignored.js';

/** The counts of a histogram, in the unit of its sender. */
export type Counted = Pick<Histogram, 'count' | 'counts' | 'bounds'>;

/** The buckets from the first to the last with requests. The clients of Prometheus make 160 at most. */
const bucketsMax = 1_000;
/** The schema of buckets with bounds of their own. */
const customSchema = -53;
const scaleRange = { min: -10, max: 20 };
const resetHintGauge = 3;

/**
 * Reads a native histogram (https://prometheus.io/docs/specs/native_histograms/). Returns why it counts nothing when
 * its sum is the marker of staleness, when it is a gauge, or when its buckets do not fit together.
 */
export function readNative(message: Message): Counted | IgnoredReason {
  if (Number.isNaN(numberOf(message['sum']))) return 'stale';
  if (message['resetHint'] === resetHintGauge) return 'other_form';
  // A rule has computed it: counts that are no whole numbers are no requests.
  if (message['countFloat'] !== undefined) return 'other_form';
  const buckets = bucketsOf(message);
  if (buckets === undefined) return 'malformed';
  const [first = 0, last = -1] = [buckets[0]?.index, buckets.at(-1)?.index];
  if (last - first >= bucketsMax) return 'too_many_buckets';
  const count = numberOf(message['count']);
  const zeroCount = numberOf(message['zeroCount']);
  const sum = buckets.reduce((total, bucket) => total + bucket.count, 0);
  const scale = numberOf(message['schema']);
  if (scale === customSchema) return sum === count ? customOf(message, buckets, count) : 'malformed';
  if (scale < scaleRange.min || scale > scaleRange.max) return 'malformed';
  // A response time below 0 is the fault of a clock; its request counts like those that took no time.
  const below = count - sum - zeroCount;
  if (below < 0 || (below > 0 && message['negativeSpans'] === undefined)) return 'malformed';
  const counts = Array<number>(last - first + 1).fill(0);
  for (const bucket of buckets) counts[bucket.index - first] = bucket.count;
  // Bucket 1 of Prometheus ends at the base; that of OpenTelemetry is number 0.
  const zero = zeroCount + below;
  return { count, bounds: [], counts: { kind: 'exponential', scale, zero, first: first - 1, counts } };
}

type Bucket = { index: number; count: number };

/** Returns the buckets that the spans name, in ascending order; `undefined` when spans and deltas do not fit together. */
function bucketsOf(message: Message): Bucket[] | undefined {
  const deltas = (message['positiveDeltas'] as number[] | undefined) ?? [];
  const buckets: Bucket[] = [];
  let [index, count, used] = [0, 0, 0];
  for (const span of (message['positiveSpans'] as Message[] | undefined) ?? []) {
    const [offset, length] = [numberOf(span['offset']), numberOf(span['length'])];
    if (used + length > deltas.length || (used > 0 && offset < 0)) return undefined;
    index += offset;
    for (let i = 0; i < length; i += 1) {
      count += deltas[used++] ?? 0;
      if (!Number.isSafeInteger(count) || count < 0) return undefined;
      buckets.push({ index: index++, count });
    }
  }
  return used === deltas.length ? buckets : undefined;
}

/** Buckets with bounds of their own; the last has no bound. */
function customOf(message: Message, buckets: readonly Bucket[], count: number): Counted | 'malformed' {
  const bounds = (message['customValues'] as number[] | undefined) ?? [];
  const isAscending = bounds.every((bound, i) => bound > (bounds[i - 1] ?? Number.NEGATIVE_INFINITY));
  const isInside = buckets.every(({ index }) => index >= 0 && index <= bounds.length);
  if (!isAscending || !isInside || bounds.length >= bucketsMax) return 'malformed';
  const counts = Array<number>(bounds.length + 1).fill(0);
  for (const bucket of buckets) counts[bucket.index] = bucket.count;
  return { count, bounds, counts: { kind: 'explicit', layout: layoutOf(bounds), counts } };
}

const numberOf = (value: unknown): number => (value as number | undefined) ?? 0;
