import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { Client, compressionAlgorithms, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Test } from 'tap';
import { decode, type Field, type Schema } from '../../lib/protobuf/decode.js';

const collector = '/opentelemetry.proto.collector';
export const exports = {
  traces: `${collector}.trace.v1.TraceService/Export`,
  metrics: `${collector}.metrics.v1.MetricsService/Export`,
  logs: `${collector}.logs.v1.LogsService/Export`,
} as const;

/** Status 0 is a success with a message. The rest is from the status of a failed call. */
export type GrpcAnswer = {
  code: number;
  message: Buffer | undefined;
  details: string;
  /** The code of the error in docs/errors.md. */
  reason: string | undefined;
  retrySeconds: number | undefined;
};

export type GrpcCall = { path?: string; key?: string | undefined; headers?: Record<string, string> };

/** A client of gRPC that sends bytes as they are. */
export function makeGrpcClient(t: Test, port: number | undefined, { gzip = false } = {}) {
  const algorithm = gzip ? compressionAlgorithms.gzip : compressionAlgorithms.identity;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.default_compression_algorithm': algorithm,
  });
  t.teardown(() => client.close());
  return (
    bytes: Buffer,
    { path = exports.traces, key, headers = {} }: GrpcCall = {},
  ): Promise<GrpcAnswer> => {
    const metadata = new Metadata();
    if (key !== undefined) metadata.set('authorization', `Bearer ${key}`);
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return new Promise((resolve) =>
      client.makeUnaryRequest(path, same, same, bytes, metadata, (error, message) =>
        resolve(error === null ? success(message) : failure(error)),
      ),
    );
  };
}

const same = (bytes: Buffer): Buffer => bytes;

const success = (message: Buffer | undefined): GrpcAnswer => ({
  ...{ code: 0, message, details: '', reason: undefined, retrySeconds: undefined },
});

function failure({ code, details, metadata }: ServiceError): GrpcAnswer {
  const [status] = metadata.get('grpc-status-details-bin');
  return { code, message: undefined, details, ...readDetails(status as Buffer | undefined) };
}

const detail: Schema = new Map<number, Field>([
  [1, { name: 'type', kind: 'text' }],
  // Both details are ASCII in protobuf, so their bytes survive as a text.
  [2, { name: 'value', kind: 'text' }],
]);
const rpcStatus: Schema = new Map<number, Field>([
  [3, { name: 'details', kind: 'message', schema: detail, isRepeated: true }],
]);
const errorInfo: Schema = new Map<number, Field>([[1, { name: 'reason', kind: 'text' }]]);
const seconds: Schema = new Map<number, Field>([[1, { name: 'seconds', kind: 'int' }]]);
const retryInfo: Schema = new Map<number, Field>([[1, { name: 'delay', kind: 'message', schema: seconds }]]);

function readDetails(status: Buffer | undefined): Pick<GrpcAnswer, 'reason' | 'retrySeconds'> {
  const { details = [] } = status === undefined ? {} : decode(status, rpcStatus);
  const find = (type: string, schema: Schema) => {
    const found = (details as { type: string; value: string }[]).find((one) => one.type.endsWith(type));
    return found === undefined ? {} : decode(Buffer.from(found.value), schema);
  };
  const { reason } = find('ErrorInfo', errorInfo) as { reason?: string };
  const { delay } = find('RetryInfo', retryInfo) as { delay?: { seconds: number } };
  return { reason, retrySeconds: delay?.seconds };
}

/** A message of gRPC in its frame. */
export function framed(content: Buffer, { flag = 0, length = content.length } = {}): Buffer {
  const head = Buffer.from([flag, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, content]);
}

/** Sends a call as no client of gRPC does, and returns the headers and trailers of the answer. */
export function callRaw(
  t: Test,
  port: number | undefined,
  headers: Record<string, string>,
  body: Buffer | undefined,
): Promise<IncomingHttpHeaders> {
  return openGrpcConnection(t, port).call(headers, body);
}

/** Opens a connection of its own, whose calls go to one process. It ends with the test. */
export function openGrpcConnection(t: Test, port: number | undefined) {
  const session = connect(`http://127.0.0.1:${port}`);
  // A call that is open rejects.
  session.on('error', () => {});
  t.teardown(() => session.destroy());
  return {
    get isOpen() {
      return !session.closed && !session.destroyed;
    },
    call: (headers: Record<string, string>, body: Buffer | undefined) => callOn(session, headers, body),
  };
}

async function callOn(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: Buffer | undefined,
): Promise<IncomingHttpHeaders> {
  const usual = {
    ':method': 'POST',
    ':path': exports.traces,
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const stream = session.request({ ...usual, ...headers });
  let answer: IncomingHttpHeaders = {};
  stream.on('response', (sent) => {
    answer = { ...answer, ...sent };
  });
  stream.on('trailers', (sent) => {
    answer = { ...answer, ...sent };
  });
  if (body !== undefined) stream.end(body);
  stream.resume();
  await once(stream, 'end');
  return answer;
}
