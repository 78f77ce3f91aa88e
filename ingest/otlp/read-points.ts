import { limits } from '../../contract/limits.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import type { Message } from '../../lib/protobuf/decode.js';
import type { Point } from '../cumulative/advance.js';
import { bucketsOf, type Histogram } from '../cumulative/histogram.js';
import { type RawEvent, releaseKey } from '../read/raw-event.js';
import type { LeftOut } from './left-out.js';
import { describeUnread, type Form, forms, type PointSender, unitMs } from './metric-forms.js';
import { readExplicit, readExponential } from './read-histogram.js';
import {
  groupOfMetric,
  hashAttributes,
  partsOfResource,
  partsOfScope,
  type SharedParts,
} from './series-identity.js';
import type { Bucket } from './spread.js';
import {
  failsWithoutStatus,
  listOf,
  millisecondsOf,
  numberOf,
  objectOf,
  releaseOfResource,
  serviceOfResource,
  textOf,
} from './tree.js';

/**
 * Requests of one key, counted by the sender. `event` has the fields of an event but for its response time. The requests
 * have ended from `startedAt` on, in milliseconds since the epoch; `undefined` when the sender does not say.
 */
export type CountedPoint = {
  event: RawEvent;
  startedAt: number | undefined;
  count: number;
  buckets: readonly Bucket[];
};

/** A point that counts since a start; a difference to the one before it counts. `event` is as of CountedPoint. */
export type CumulativePoint = { event: RawEvent; point: Point };

/** The points of a body. */
export type Points = { counted: CountedPoint[]; cumulative: CumulativePoint[] };

/** `requests` and `buckets` are sums over the points that count, `cumulativeBuckets` over the others. */
type Reading = Points & {
  leftOut: LeftOut;
  requests: number;
  buckets: number;
  cumulativeBuckets: number;
  isFull: boolean;
};

const deltas: ReadonlySet<unknown> = new Set([1, 'AGGREGATION_TEMPORALITY_DELTA']);
const cumulatives: ReadonlySet<unknown> = new Set([2, 'AGGREGATION_TEMPORALITY_CUMULATIVE']);
const malformed =
  'A histogram needs one more bucket than bounds, bounds that ascend, and a count that is their sum.';
const noTemporality =
  'A histogram must say whether its counts are deltas or cumulative; its aggregation temporality was neither.';
const tooManyBuckets = `The data points of a body have at most ${limits.otlpBucketsMax} buckets with requests, or ${limits.cumulativeBucketsMax} in cumulative ones.`;
const tooMany = `The data points of a body count at most ${limits.otlpRequestsMax} requests.`;
/** DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK. */
const noValue = 1;

/** Reads the histograms of an ExportMetricsServiceRequest. Other metrics are ignored. */
export function readPoints(tree: Message, leftOut: LeftOut): Points {
  const read: Reading = {
    ...{ counted: [], cumulative: [], leftOut },
    ...{ requests: 0, buckets: 0, cumulativeBuckets: 0, isFull: false },
  };
  let unread: string | undefined;
  for (const resourceMetrics of listOf(tree['resourceMetrics'])) {
    const { resource, scopeMetrics } = objectOf(resourceMetrics);
    const of = { service: serviceOfResource(resource), failsWithoutStatus: failsWithoutStatus(resource) };
    const release = releaseOfResource(resource);
    const ofResource = partsOfResource(resource);
    const before = { counted: read.counted.length, cumulative: read.cumulative.length };
    const scopes = listOf(scopeMetrics)
      .map(objectOf)
      .map(({ scope, metrics }) => ({ scope, metrics: listOf(metrics).map(objectOf) }));
    const names = new Set(scopes.flatMap(({ metrics }) => metrics.map(({ name }) => name)));
    for (const { scope, metrics } of scopes) {
      const sender = { ...of, parts: partsOfScope(ofResource, scope) };
      for (const metric of metrics) {
        const name = textOf(metric['name']) ?? '';
        const form = forms.get(name);
        if (form?.newer !== undefined && names.has(form.newer)) leftOut.ignore('twice');
        else if (form !== undefined) readMetric(metric, name, form, sender, read);
        else unread = describeUnread(name, leftOut) ?? unread;
      }
    }
    if (release === undefined) continue;
    for (const { event } of read.counted.slice(before.counted)) event[releaseKey] = release;
    for (const { event } of read.cumulative.slice(before.cumulative)) event[releaseKey] = release;
  }
  // A sender whose requests count has further metrics of them on purpose.
  const isSilent = read.counted.length + read.cumulative.length === 0 && leftOut.refused === 0;
  if (isSilent && unread !== undefined) leftOut.say('other_name', unread);
  return read;
}

const otherForms = ['gauge', 'sum', 'summary'] as const;

type Sender = PointSender & { parts: SharedParts };

function readMetric(metric: Message, name: string, form: Form, sender: Sender, read: Reading): void {
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
  const temporality = histogram['aggregationTemporality'];
  const isDelta = deltas.has(temporality);
  if (!isDelta && !cumulatives.has(temporality)) {
    leftOut.refuse('no_temporality', noTemporality, points.length);
    return;
  }
  const readHistogram = exponential === undefined ? readExplicit : readExponential;
  const groupOf = groupOfMetric(sender.parts, metric, exponential === undefined ? 'explicit' : 'exponential');
  for (const point of points) {
    if (((numberOf(point['flags']) ?? 0) & noValue) !== 0) leftOut.ignore('no_value');
    else if (read.isFull) leftOut.refuse('too_many_buckets', tooManyBuckets);
    else {
      const counts = readHistogram(point, perUnitMs);
      if (counts === undefined) leftOut.refuse('malformed', malformed);
      else if (isDelta) addCounted(read, counts, point, () => form.eventOf(point, sender));
      else addCumulative(read, counts, point, groupOf, () => form.eventOf(point, sender));
    }
  }
}

function addCounted(
  read: Reading,
  histogram: Histogram,
  { startTimeUnixNano }: Message,
  eventOf: () => RawEvent,
): void {
  const { leftOut } = read;
  const { count } = histogram;
  if (count === 0) {
    leftOut.ignore('no_requests');
    return;
  }
  if (read.requests + count > limits.otlpRequestsMax) {
    leftOut.refuse('too_many_requests', tooMany);
    return;
  }
  const buckets = bucketsOf(histogram, histogram.counts, true);
  if (read.buckets + buckets.length > limits.otlpBucketsMax) {
    // Reading the rest would take seconds.
    read.isFull = true;
    leftOut.refuse('too_many_buckets', tooManyBuckets);
    return;
  }
  read.requests += count;
  read.buckets += buckets.length;
  const startedAt = millisecondsOf(startTimeUnixNano);
  read.counted.push({ event: eventOf(), startedAt, count, buckets });
}

function addCumulative(
  read: Reading,
  histogram: Histogram,
  { attributes, startTimeUnixNano, timeUnixNano }: Message,
  groupOf: () => string,
  eventOf: () => RawEvent,
): void {
  read.cumulativeBuckets += histogram.counts.counts.length;
  if (read.cumulativeBuckets > limits.cumulativeBucketsMax) {
    read.isFull = true;
    read.leftOut.refuse('too_many_buckets', tooManyBuckets);
    return;
  }
  const point: Point = {
    group: groupOf(),
    hash: hashAttributes(attributes),
    startMs: millisecondsOf(startTimeUnixNano) ?? 0,
    timeMs: Math.floor(millisecondsOf(timeUnixNano) ?? 0),
    histogram,
  };
  read.cumulative.push({ event: eventOf(), point });
}
