import { limits } from '../../contract/limits.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import type { Message } from '../../lib/protobuf/decode.js';
import { type RawEvent, releaseKey } from '../read/raw-event.js';
import type { LeftOut } from './left-out.js';
import { describeUnread, type Form, forms, unitMs } from './metric-forms.js';
import type { Bucket } from './spread.js';
import { listOf, numberOf, objectOf, releaseOfResource, serviceOfResource, textOf } from './tree.js';

/** Requests of one key, counted by the sender. `event` has the fields of an event but for its response time. */
export type CountedPoint = { event: RawEvent; count: number; buckets: readonly Bucket[] };

/** `requests` and `buckets` are sums over the points. */
type Reading = {
  points: CountedPoint[];
  leftOut: LeftOut;
  requests: number;
  buckets: number;
  isFull: boolean;
};

/** The requests in the buckets of a data point; a point without buckets may know no response times. */
type Counted = Pick<CountedPoint, 'count' | 'buckets'>;

const deltas: ReadonlySet<unknown> = new Set([1, 'AGGREGATION_TEMPORALITY_DELTA']);
const malformed =
  'A histogram needs one more bucket than bounds, bounds that ascend, and a count that is their sum.';
/** The buckets of a data point; the SDKs make 15, or 160 exponential ones. */
const bucketsMax = 1_000;
const tooManyBuckets = `The data points of a body have at most ${limits.otlpBucketsMax} buckets with requests.`;
const tooMany = `The data points of a body count at most ${limits.otlpRequestsMax} requests.`;
/** The scales that the SDKs use end at -10 and 20. Beyond 30, a bucket holds everything or next to nothing. */
const scaleMax = 30;
/** DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK. */
const noValue = 1;

/** Reads the histograms of an ExportMetricsServiceRequest. Other metrics are ignored. */
export function readPoints(tree: Message, leftOut: LeftOut): CountedPoint[] {
  const read: Reading = { points: [], leftOut, requests: 0, buckets: 0, isFull: false };
  let unread: string | undefined;
  for (const resourceMetrics of listOf(tree['resourceMetrics'])) {
    const { resource, scopeMetrics } = objectOf(resourceMetrics);
    const service = serviceOfResource(resource);
    const release = releaseOfResource(resource);
    const before = read.points.length;
    const metrics = listOf(scopeMetrics).map((scope) => listOf(objectOf(scope)['metrics']).map(objectOf));
    const names = new Set(metrics.flat().map(({ name }) => name));
    for (const scope of metrics) {
      for (const metric of scope) {
        const name = textOf(metric['name']) ?? '';
        const form = forms.get(name);
        if (form?.newer !== undefined && names.has(form.newer)) leftOut.ignore('twice');
        else if (form !== undefined) readMetric(metric, name, form, service, read);
        else unread = describeUnread(name, leftOut) ?? unread;
      }
    }
    if (release !== undefined) for (const { event } of read.points.slice(before)) event[releaseKey] = release;
  }
  // A sender whose requests count has further metrics of them on purpose.
  const isSilent = read.points.length === 0 && leftOut.refused === 0;
  if (isSilent && unread !== undefined) leftOut.say('other_name', unread);
  return read.points;
}

const otherForms = ['gauge', 'sum', 'summary'] as const;

function readMetric(
  metric: Message,
  name: string,
  form: Form,
  service: string | undefined,
  read: Reading,
): void {
  const { leftOut } = read;
  for (const other of otherForms) {
    const points = listOf(objectOf(metric[other])['dataPoints']).length;
    leftOut.refuse('not_a_histogram', form.describeOther(name, other), points);
  }
  const exponential = metric['exponentialHistogram'];
  const histogram = objectOf(metric['histogram'] ?? exponential);
  const points = listOf(histogram['dataPoints']).map(objectOf);
  const unit = textOf(metric['unit']) ?? '';
  const perUnitMs = unit === '' ? form.usualUnitMs : unitMs.get(unit);
  if (perUnitMs === undefined) {
    const sentence = `The unit of "${name}" must be "s", "ms", "us" or "ns"; it was ${describeSent(unit, 'unit')}.`;
    leftOut.refuse('unknown_unit', sentence, points.length);
    return;
  }
  const isDelta = deltas.has(histogram['aggregationTemporality']);
  const count = exponential === undefined ? countExplicit : countExponential;
  for (const point of points) {
    if (((numberOf(point['flags']) ?? 0) & noValue) !== 0) leftOut.ignore('no_value');
    else if (!isDelta) leftOut.refuse('cumulative', form.notDelta);
    else if (read.isFull) leftOut.refuse('too_many_buckets', tooManyBuckets);
    else addPoint(read, count(point, perUnitMs), () => form.eventOf(point, service));
  }
}

function addPoint(read: Reading, counted: Counted | undefined, eventOf: () => RawEvent): void {
  const { leftOut } = read;
  if (counted === undefined) leftOut.refuse('malformed', malformed);
  else if (counted.count === 0) leftOut.ignore('no_requests');
  else if (read.requests + counted.count > limits.otlpRequestsMax)
    leftOut.refuse('too_many_requests', tooMany);
  else if (read.buckets + counted.buckets.length > limits.otlpBucketsMax) {
    // Reading the rest would take seconds.
    read.isFull = true;
    leftOut.refuse('too_many_buckets', tooManyBuckets);
  } else {
    read.requests += counted.count;
    read.buckets += counted.buckets.length;
    read.points.push({ event: eventOf(), ...counted });
  }
}

/** Returns `undefined` for buckets that do not fit together. */
function countExplicit(point: Message, perUnitMs: number): Counted | undefined {
  const bounds = listOf(point['explicitBounds']).map(numberOf);
  const counts = countsOf(point['bucketCounts']);
  const count = countOf(point['count'] ?? 0);
  const isAscending = bounds.every(
    (bound, i) => bound !== undefined && !(bound <= (bounds[i - 1] ?? -Infinity)),
  );
  if (counts === undefined || count === undefined || !isAscending) return undefined;
  // A histogram without buckets has its count alone, and response times if it knows the least and the greatest.
  const knows =
    counts.length > 0 || (numberOf(point['min']) !== undefined && numberOf(point['max']) !== undefined);
  const all = counts.length === 0 ? [count] : counts;
  if (all.length !== bounds.length + 1 || sum(all) !== count) return undefined;
  const edges = [0, ...bounds.map((bound) => Math.max(0, bound ?? 0)), Number.POSITIVE_INFINITY];
  const edgesOf = (i: number): readonly [number, number] => [edges[i] ?? 0, edges[i + 1] ?? 0];
  return { count, buckets: knows ? narrow(all, edgesOf, point, perUnitMs) : [] };
}

/** Bucket `i` holds values from base^(offset+i) to base^(offset+i+1); the base is 2^(2^-scale). */
function countExponential(point: Message, perUnitMs: number): Counted | undefined {
  const positive = objectOf(point['positive']);
  const counts = countsOf(positive['bucketCounts']);
  const zero = countOf(point['zeroCount'] ?? 0);
  const count = countOf(point['count'] ?? 0);
  const [scale, offset] = [numberOf(point['scale'] ?? 0), numberOf(positive['offset'] ?? 0)];
  if (counts === undefined || zero === undefined || zero + sum(counts) !== count) return undefined;
  if (!Number.isInteger(scale) || !Number.isInteger(offset)) return undefined;
  const [perBucket, first] = [2 ** -(scale ?? 0), offset ?? 0];
  if (Math.abs(scale ?? 0) > scaleMax) return undefined;
  const edge = (i: number): number => 2 ** ((first + i) * perBucket);
  const edgesOf = (i: number): readonly [number, number] => (i === 0 ? [0, 0] : [edge(i - 1), edge(i)]);
  return { count, buckets: narrow([zero, ...counts], edgesOf, point, perUnitMs) };
}

/** The least and the greatest value narrow the buckets that they are in. Without a greatest, the last bucket is its bound. */
function narrow(
  counts: readonly number[],
  edgesOf: (bucket: number) => readonly [number, number],
  point: Message,
  perUnitMs: number,
): Bucket[] {
  const min = numberOf(point['min']);
  const max = numberOf(point['max']);
  const buckets: Bucket[] = [];
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    const [lower, upper] = edgesOf(bucket);
    const from = Math.min(Math.max(lower, min ?? lower), upper);
    const to = Math.max(from, Math.min(upper, max ?? (upper === Number.POSITIVE_INFINITY ? lower : upper)));
    buckets.push({ count, fromMs: toMs(from * perUnitMs), toMs: toMs(to * perUnitMs) });
  }
  return buckets;
}

const toMs = (value: number): number => Math.min(value, limits.latencyMsMax);

function countsOf(list: unknown): number[] | undefined {
  const counts = listOf(list).map(countOf);
  const areCounts = counts.length <= bucketsMax && counts.every((count) => count !== undefined);
  return areCounts ? (counts as number[]) : undefined;
}

function countOf(value: unknown): number | undefined {
  const count = numberOf(value);
  return Number.isSafeInteger(count) && (count ?? -1) >= 0 ? count : undefined;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
