import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.js';
import { ServiceError } from '../../lib/service-error.js';
import { Block } from '../commit/collapse.js';
import type { Batch } from '../read/batch.js';
import type { RawEvent } from '../read/raw-event.js';
import { type CountedPoint, readPoints } from './read-points.js';
import { readSpans } from './read-spans.js';
import { metricsRequest, tracesRequest } from './schemas.js';
import { spread } from './spread.js';
import { type Encoding, readTree } from './tree.js';

/** The signals of OpenTelemetry that are read. */
export const signals = ['traces', 'metrics'] as const;
export type Signal = (typeof signals)[number];

/** What a body of OTLP is. */
export type OtlpForm = { signal: Signal; encoding: Encoding };

/**
 * At most 1,000 events of a body, or as many data points, each with an event that has the place of the point in place of
 * a response time. `batchId` names the slice by the content of its body, so that one which is sent again counts once.
 */
export type Slice = { batchId: string; events: RawEvent[]; points: CountedPoint[] | undefined };

/** `ignored` are spans or metrics of other kinds; `refused` are data points of a form that cannot be counted. */
export type OtlpRead = {
  slices: Slice[];
  ignored: number;
  refused: { count: number; reason: string | undefined };
};

/**
 * Reads a body of OTLP.
 *
 * @throws ServiceError `bodyNotJson`, `bodyNotProtobuf` and `invalidBody` for a body of another form, `tooManySpans`.
 */
export function readOtlp(body: Buffer, { signal, encoding }: OtlpForm): OtlpRead {
  const id = createHash('sha256').update(body).digest('base64url');
  if (signal === 'traces') {
    const { events, ignored } = readSpans(readTree(body, encoding, tracesRequest));
    return { slices: slicesOf(id, events), ignored, refused: { count: 0, reason: undefined } };
  }
  const { points, ignored, refused } = readPoints(readTree(body, encoding, metricsRequest));
  const events = points.map(({ event }, i) => ({ ...event, ms: i % limits.eventsPerBatch }));
  return { slices: slicesOf(id, events, points), ignored, refused };
}

function slicesOf(id: string, events: RawEvent[], points?: CountedPoint[]): Slice[] {
  if (events.length > limits.otlpItemsMax) throw new ServiceError('tooManySpans');
  const slices: Slice[] = [];
  for (let from = 0; from < events.length; from += limits.eventsPerBatch) {
    const to = from + limits.eventsPerBatch;
    // Longer than a batch id of a sender, so that no two are equal.
    const batchId = `otlp/${signalOf(points)}/${id}/${String(from).padStart(10, '0')}`;
    slices.push({ batchId, events: events.slice(from, to), points: points?.slice(from, to) });
  }
  return slices;
}

const signalOf = (points: unknown): Signal => (points === undefined ? 'traces' : 'metrics');

/** Collapses the data points of a slice whose events are in the batch. */
export function collapsePoints(batch: Batch, points: readonly CountedPoint[]): Block {
  const block = new Block();
  for (let i = 0; i < batch.length; i += 1) {
    const [source, endpoint, method] = [batch.source[i], batch.endpoint[i], batch.method[i]];
    const point = points[batch.latencyMs[i] ?? -1];
    if (source === undefined || endpoint === undefined || !method || point === undefined)
      throw new Error('A data point lost its names.');
    block.addCounted({
      source,
      endpoint,
      method,
      status: batch.status[i] ?? 0,
      at: batch.at[i] ?? 0,
      count: point.count,
      latencies: spread(point.buckets),
    });
  }
  return block;
}
