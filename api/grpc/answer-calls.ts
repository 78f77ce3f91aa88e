import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { errorRegistry } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { KeyCache } from '../../control/keys/index.js';
import type { OtlpAcknowledgement } from '../../ingest/accept-otlp.js';
import type { Signal } from '../../ingest/otlp/tree.js';
import type { Ingest } from '../../ingest/pipeline.js';
import { join } from '../../lib/chunks.js';
import { ServiceError } from '../../lib/service-error.js';
import { withTimeout } from '../../lib/timeout.js';
import type { Timeouts } from '../../lib/timeouts.js';
import { minuteMs } from '../../lib/times.js';
import { createErrorLog, statusOf, toServiceError } from '../answer-errors.js';
import { endWork, hangUpSignal } from '../hang-up.js';
import type { Coding } from '../inflate.js';
import { type ObserveDeps, outcomeOf, record, requestIdOf } from '../observe.js';
import { encodeAnswer } from '../otlp/answer-otlp.js';
import { type BodyBudget, collect, drain } from '../read-body.js';
import { otlpAccess } from '../routes/otlp.js';
import { workOnMessage } from '../work-on-body.js';
import { frame, grpcForm } from './frame.js';
import { trailersOf } from './statuses.js';

export type CallDeps = ObserveDeps & {
  keys: Pick<KeyCache, 'find'>;
  ingest: Pick<Ingest, 'acceptOtlp'>;
  /** Bounds on the bodies of all protocols together. */
  bodies: { timeouts: Timeouts; budget: BodyBudget };
};

/** Answers a call, which is a stream of HTTP/2. */
export type CallListener = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

type Call = { stream: ServerHttp2Stream; headers: IncomingHttpHeaders; requestId: string };

const collector = '/opentelemetry.proto.collector';
const signals: ReadonlyMap<string, Signal> = new Map([
  [`${collector}.trace.v1.TraceService/Export`, 'traces'],
  [`${collector}.metrics.v1.MetricsService/Export`, 'metrics'],
]);
const logs = `${collector}.logs.v1.LogsService/Export`;

const encodings: ReadonlyMap<string, Coding | undefined> = new Map([
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['deflate', 'deflate'],
]);
const usualHeaders = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': [...encodings.keys()].join(','),
};

/**
 * Answers the calls that export traces and metrics as `/v1/traces` and `/v1/metrics` answer their requests: the same key,
 * bounds and work, and a status of gRPC in place of one of HTTP.
 */
export function createCallListener(deps: CallDeps): CallListener {
  const logError = createErrorLog(deps.log);
  return async (stream, headers) => {
    // A 'close' follows, which ends the work.
    stream.on('error', () => {});
    const startedAt = performance.now();
    const requestId = requestIdOf({ headers });
    const path = headers[':path'] ?? '';
    const route = signals.has(path) ? path : 'none';
    let status = 200;
    try {
      answer(stream, requestId, await accept(deps, { stream, headers, requestId }, signals.get(path)));
    } catch (error) {
      const known = toServiceError(error, path);
      logError({ requestId, route }, error, known);
      status = statusOf(known);
      await refuse(stream, requestId, known);
    }
    record(deps, { requestId, method: 'POST', route, status: outcomeOf(stream, status), startedAt });
  };
}

/** @throws ServiceError of `workOnMessage`, of the body and of the work; `notGrpc`, `notFound`, `contentEncoding` */
async function accept(
  { keys, ingest, bodies }: CallDeps,
  { stream, headers }: Call,
  signal: Signal | undefined,
): Promise<OtlpAcknowledgement> {
  if (!/^application\/grpc(?:\+proto)?(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw new ServiceError('notGrpc');
  if (signal === undefined) throw unknownCall(headers[':path']);
  const leftMs = parseTimeout(headers['grpc-timeout']);
  const receive = () => receiveMessage(stream, headers, bodies);
  const work = workOnMessage(
    keys,
    { headers, access: otlpAccess, receive, res: stream },
    ({ pageId }, body, answerBy) => {
      const time = { answerBy, leave: () => hangUpSignal(stream) };
      return ingest.acceptOtlp(pageId, body, { signal, encoding: 'protobuf' }, time);
    },
  );
  return leftMs === undefined ? work : withTimeout(work, leftMs, { error: () => deadlinePassed(stream) });
}

function receiveMessage(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  bodies: CallDeps['bodies'],
): Promise<Buffer> {
  const encoding = String(headers['grpc-encoding'] ?? 'identity').toLowerCase();
  if (!encodings.has(encoding)) {
    const message = `grpc-encoding must be ${[...encodings.keys()].join(', ')}.`;
    throw new ServiceError('contentEncoding', { message });
  }
  // The caller hung up while its key was looked up: nothing more happens on the stream.
  if (stream.destroyed) throw new ServiceError('callerGone');
  const bounds = { bytesMax: limits.otlpBodyBytes, ...bodies };
  return new Promise((resolve, onFault) => {
    const receiver = { onBody: (body: readonly Buffer[]) => resolve(join(body)), onFault };
    collect(stream, grpcForm, encodings.get(encoding), bounds, receiver);
  });
}

/** The caller has given up by now, and may send the body again. */
function deadlinePassed(stream: ServerHttp2Stream): ServiceError {
  const message = 'The deadline of the call passed before its answer.';
  const passed = new ServiceError('callerGone', { message });
  endWork(stream, passed);
  return passed;
}

function unknownCall(path: string | undefined): ServiceError {
  const taken = 'Heartline takes traces and metrics.';
  const message =
    path === logs
      ? `${taken} It keeps no logs: set OTEL_LOGS_EXPORTER=none, or send them elsewhere.`
      : `${taken} The calls are ${[...signals.keys()].map((known) => known.slice(1)).join(' and ')}.`;
  return new ServiceError('notFound', { message });
}

const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Every call is answered sooner. */
const answerMsMax = minuteMs;

/**
 * Returns the milliseconds that the caller waits; `undefined` when it has no deadline, or one that lies behind every answer.
 *
 * @throws ServiceError `invalidBody` for a header of another form
 */
function parseTimeout(sent: string | string[] | undefined): number | undefined {
  if (sent === undefined) return undefined;
  const [, digits = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(sent)) ?? [];
  const ms = Number(digits) * (unitMs[unit] ?? Number.NaN);
  if (Number.isNaN(ms))
    throw new ServiceError('invalidBody', {
      message: 'grpc-timeout must be a number and a unit, such as 10S.',
    });
  return ms > answerMsMax ? undefined : ms;
}

function answer(stream: ServerHttp2Stream, requestId: string, outcome: OtlpAcknowledgement): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ...usualHeaders, 'x-request-id': requestId }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frame(encodeAnswer(outcome)));
}

/** Answers with the error, and drops what the caller still sends of the body, so that it gets to read the answer. */
async function refuse(
  stream: ServerHttp2Stream,
  requestId: string,
  error: ServiceError | undefined,
): Promise<void> {
  if (stream.destroyed || stream.closed) return;
  if (error?.kind === 'notGrpc') {
    const { status: code, ...body } = errorRegistry.notGrpc;
    stream.respond({ ':status': code, 'content-type': 'application/json', 'x-request-id': requestId });
    stream.end(JSON.stringify({ error: body.message, code: body.code }));
  } else {
    const headers = { ...usualHeaders, 'x-request-id': requestId, ...trailersOf(error) };
    stream.respond(headers, { endStream: true });
  }
  await drain(stream);
  if (!stream.closed) stream.close();
}
