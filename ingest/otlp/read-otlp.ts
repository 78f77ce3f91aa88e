import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.js';
import { ServiceError } from '../../lib/service-error.js';
import { Block, type CountedRequests } from '../commit/collapse.js';
import type { Batch } from '../read/batch.js';
import { parseLatency, type RawEvent } from '../read/raw-event.js';
import { LeftOut } from './left-out.js';
import { type CountedPoint, type CumulativePoint, readPoints } from './read-points.js';
import { readSpans } from './read-spans.js';
import { metricsRequest, tracesRequest } from './schemas.js';
import { spread } from './spread.js';
import { type Encoding, readTree, type Signal } from './tree.js';

export type OtlpForm = { signal: Signal; encoding: Encoding };

/**
 * Events of a body, or as many data points or sampled spans, each with an event that has the place of the point in place
 * of a response time. `batchId` names the slice by the content of its body, so that one which is sent again counts once.
 * All events of a slice are calls of procedures over HTTP, or none is.
 */
export type Slice = {
  batchId: string;
  events: RawEvent[];
  points: CountedPoint[] | undefined;
  isRpcOverHttp: boolean;
};

/** `cumulative` are slices of points that count since a start: their series know which of them have counted. */
export type OtlpRead = { slices: Slice[]; cumulative: CumulativePoint[][]; leftOut: LeftOut };

/**
 * Bytes that an object of a body counts for. Spans of an SDK have 18 for each, and 14 with the names of attributes before
 * 1.23 at their shortest, so ordinary bodies count for their length. Half a megabyte of empty spans, which gzip sends as 530
 * bytes, takes the process as long as 3 MB of ordinary ones.
 */
const bytesPerObject = 12;

/**
 * Reads a body of OTLP.
 *
 * @param charge gets the bytes that the body counts for, by the objects that were read. Called once, before an error, too.
 * @throws ServiceError `bodyNotJson`, `bodyNotProtobuf` and `invalidBody` for a body of another form, `tooManySpans`.
 */
export function readOtlp(
  body: Buffer,
  { signal, encoding }: OtlpForm,
  charge: (bytes: number) => void,
): OtlpRead {
  const id = createHash('sha256').update(body).digest('base64url');
  const leftOut = new LeftOut();
  const noteObjects = (count: number): void => charge(count * bytesPerObject);
  if (signal === 'traces') {
    const tree = readTree(body, encoding, tracesRequest, noteObjects);
    const { events, weights, overHttpFrom } = readSpans(tree, leftOut);
    if (events.length > limits.otlpItemsMax) throw new ServiceError('tooManySpans');
    const points = weights && events.map((event, i) => pointOf(event, weights[i] ?? 1));
    const slices = slicesOf({ signal, id, events, points, overHttpFrom });
    return { slices, cumulative: [], leftOut };
  }
  const { counted, cumulative } = readPoints(readTree(body, encoding, metricsRequest, noteObjects), leftOut);
  if (counted.length + cumulative.length > limits.otlpItemsMax) throw new ServiceError('tooManySpans');
  const events = counted.map(({ event }) => event);
  const cuts = cutsOf(cumulative.map(({ event }) => event));
  return {
    slices: slicesOf({ signal, id, events, points: counted, overHttpFrom: events.length }),
    cumulative: cuts.map(([from, to]) => cumulative.slice(from, to)),
    leftOut,
  };
}

/** A span that stands for several requests, all of its response time. */
function pointOf(event: RawEvent, count: number): CountedPoint {
  const ms = parseLatency(event.ms);
  return {
    event,
    startedAt: undefined,
    count,
    buckets: Number.isNaN(ms) ? [] : [{ count, fromMs: ms, toMs: ms }],
  };
}

type Requests = {
  signal: Signal;
  id: string;
  events: RawEvent[];
  points: CountedPoint[] | undefined;
  overHttpFrom: number;
};

function slicesOf({ signal, id, events, points, overHttpFrom }: Requests): Slice[] {
  const cutsFrom = (start: number, end?: number) =>
    cutsOf(events.slice(start, end)).map(([from, to]) => [from + start, to + start] as const);
  return [...cutsFrom(0, overHttpFrom), ...cutsFrom(overHttpFrom)].map(([from, to]) => {
    const slice = events.slice(from, to);
    return {
      isRpcOverHttp: from >= overHttpFrom,
      // Longer than a batch id of a sender, so that no two are equal.
      batchId: `otlp/${signal}/${id}/${String(from).padStart(10, '0')}`,
      events: points === undefined ? slice : slice.map((event, i) => ({ ...event, ms: i })),
      points: points?.slice(from, to),
    };
  });
}

/**
 * Cuts events into slices within the bounds of a batch: 1,000 events and 200 endpoints. A fleet that is new sends its
 * routes in one body, and a sender of OTLP cannot choose what is in a body. 10,000 events of 10,000 routes are 50 slices.
 */
export function cutsOf(events: readonly RawEvent[]): [from: number, to: number][] {
  const cuts: [number, number][] = [];
  const endpoints = new Set<unknown>();
  let from = 0;
  for (const [i, { endpoint }] of events.entries()) {
    const isFull = i - from === limits.eventsPerBatch;
    if (isFull || (endpoints.size === limits.endpointsPerBatchAndService && !endpoints.has(endpoint))) {
      cuts.push([from, i]);
      endpoints.clear();
      from = i;
    }
    endpoints.add(endpoint);
  }
  if (from < events.length) cuts.push([from, events.length]);
  return cuts;
}

/**
 * Collapses a slice whose events are in the batch. The places in `left` are left out: of a failing span its message and
 * its sample stay, in a row without requests.
 */
export function collapseSlice(
  batch: Batch,
  points: readonly CountedPoint[] | undefined,
  left: ReadonlySet<number>,
): Block {
  const block = new Block();
  for (let i = 0; i < batch.length; i += 1) {
    const counts = !left.has(i);
    const [message, sample] = [batch.message[i], batch.samples.get(i)];
    if (!counts && message === undefined && sample === undefined) continue;
    const [source, endpoint, method] = [batch.source[i], batch.endpoint[i], batch.method[i]];
    if (source === undefined || endpoint === undefined || !method)
      throw new Error('An event of OTLP lost its names.');
    const figures = counts ? figuresAt(batch, points, i) : nothingCounted;
    const [status, at] = [batch.status[i] ?? 0, batch.at[i] ?? 0];
    block.addCounted({ source, endpoint, method, status, at, message, sample, ...figures });
  }
  return block;
}

type Figures = Pick<CountedRequests, 'count' | 'latencies'>;

const nothingCounted: Figures = { count: 0, latencies: [] };

function figuresAt(batch: Batch, points: readonly CountedPoint[] | undefined, i: number): Figures {
  const ms = batch.latencyMs[i] ?? Number.NaN;
  if (points === undefined) return { count: 1, latencies: Number.isNaN(ms) ? [] : [{ ms, times: 1 }] };
  const point = points[ms];
  if (point === undefined) throw new Error('A data point lost its place.');
  return { count: point.count, latencies: spread(point.buckets) };
}
