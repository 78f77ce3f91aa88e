import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { nextMessage } from './next-message.js';

export type LoadOptions = {
  port: number;
  path: string;
  key: string;
  bodies: readonly Buffer[];
  connections: number;
  /** Requests in flight on one connection (HTTP/1.1 pipelining). */
  depth: number;
  seconds: number;
  /** Whether each batch has an id of its own. The bodies must be plain JSON then. */
  isNamed?: boolean | undefined;
  /** Whether the bodies are compressed. */
  isGzipped?: boolean | undefined;
};

/** Requests as bytes. Each answer must have a Content-Length, or a status without a body. */
export type RequestLoad = Pick<LoadOptions, 'port' | 'connections' | 'depth' | 'seconds'> & {
  requests: readonly Request[];
};

/** Parts of a request; a part that is a function is made for each request that is sent. */
type Request = readonly (Buffer | (() => string))[];

export type LoadResult = { requests: number; refused: number; seconds: number; p50Ms: number; p99Ms: number };

const headerEnd = Buffer.from('\r\n\r\n');

/** One measurement of posted batches. */
export type LoadJob = {
  port: number;
  path: string;
  key: string;
  format: 'json' | 'lines';
  isNamed?: boolean;
  isGzipped?: boolean;
  eventsPerBatch: number;
  connections: number;
  depth: number;
  seconds: number;
};

/** Batches that leave at fixed times, whether or not the earlier ones are answered. */
export type PacedJob = {
  port: number;
  key: string;
  eventsPerBatch: number;
  batchesPerSecond: number;
  seconds: number;
};

/** Runs one load in a separate process, so that the sender shares no event loop with the server. */
export async function measureLoad(job: LoadJob | PacedJob): Promise<LoadResult> {
  const child = fork(new URL('./load-process.js', import.meta.url));
  child.send(job);
  const result = await nextMessage<LoadResult>(child);
  child.disconnect();
  return result;
}

/** Posts the bodies in turn. */
export function runLoad(options: LoadOptions): Promise<LoadResult> {
  return sendRequests({ ...options, requests: options.bodies.map((body) => prepare(options, body)) });
}

/** Sends prepared requests over raw sockets, so that sending costs the machine as little as possible. */
export async function sendRequests(options: RequestLoad): Promise<LoadResult> {
  const latencies: number[] = [];
  const counts = { answered: 0, refused: 0 };
  const startedAt = performance.now();
  const until = startedAt + options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.connections }, (_, i) =>
      runConnection(options, i, until, latencies, counts),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const [p50Ms, p99Ms] = [latencyAt(latencies, 0.5), latencyAt(latencies, 0.99)];
  return { requests: counts.answered, refused: counts.refused, seconds, p50Ms, p99Ms };
}

/** The quantile `q` of latencies in ascending order; NaN for an empty list. */
export function latencyAt(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

function prepare({ path, key, isNamed, isGzipped }: LoadOptions, bytes: Buffer): Request {
  const encoding = isGzipped ? 'content-encoding: gzip\r\n' : '';
  const head = (length: number): string =>
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${encoding}content-length: ${length}\r\n\r\n`;
  if (!isNamed) return [Buffer.concat([Buffer.from(head(bytes.length)), bytes])];
  const start = '{"batchId":"';
  const rest = Buffer.concat([Buffer.from('",'), bytes.subarray(1)]);
  return [Buffer.from(head(start.length + idChars + rest.length) + start), makeId, rest];
}

const idChars = 36;
const makeId = (): string => randomUUID();

function runConnection(
  { port, depth, requests }: RequestLoad,
  offset: number,
  until: number,
  latencies: number[],
  counts: { answered: number; refused: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    const sentAt: number[] = [];
    let next = offset * 7;
    let rest: Buffer = Buffer.alloc(0);
    const send = (): void => {
      const request = requests[next++ % requests.length];
      if (request === undefined) throw new Error('There is nothing to send.');
      sentAt.push(performance.now());
      socket.cork();
      for (const part of request) socket.write(typeof part === 'function' ? part() : part);
      socket.uncork();
    };
    const onAnswer = (status: number): void => {
      latencies.push(performance.now() - (sentAt.shift() ?? 0));
      if (status >= 200 && status < 400) counts.answered += 1;
      else counts.refused += 1;
      if (performance.now() < until) send();
      else if (sentAt.length === 0) socket.end();
    };
    socket.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      rest = readAnswers(rest, onAnswer);
    });
    socket.on('connect', () => {
      socket.setNoDelay(true);
      for (let i = 0; i < depth; i += 1) send();
    });
    socket.on('error', reject).on('close', () => resolve());
  });
}

/** Calls back for each complete answer, and returns the remaining bytes. */
function readAnswers(bytes: Buffer, onAnswer: (status: number) => void): Buffer {
  let at = 0;
  for (;;) {
    const end = bytes.indexOf(headerEnd, at);
    if (end === -1) return bytes.subarray(at);
    const head = bytes.toString('latin1', at, end);
    const status = Number(head.slice(9, 12));
    const length =
      status === 204 || status === 304 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`An answer without a length: ${head}`);
    const after = end + headerEnd.length + length;
    if (after > bytes.length) return bytes.subarray(at);
    onAnswer(status);
    at = after;
  }
}
