import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../lib/service-error.js';

export type BodyLimits = {
  bytesMax: number;
  /** From the last header to the last byte of the body. */
  timeoutMs: number;
  budget: BodyBudget;
};

const encodingHint = 'Compress the body as Content-Encoding says, or leave that header out.';

/** Bytes of all bodies that are being received. A body counts until it is complete. */
export type BodyBudget = { bytes: number; readonly bytesMax: number };

/** Bounds on the rest of a refused body, which is read so that a client that still sends receives the answer. */
const drainBytesMax = 16 * 1024 * 1024;
const drainMs = 2_000;

const inflaters = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/**
 * The body of a request, inflated as its Content-Encoding says, without a byte order mark. Neither the body as sent nor
 * the inflated body ever takes more than `bytesMax` of memory. A client that waits for `100 Continue` gets it here.
 *
 * @throws ServiceError 400, 408, 413, 415; 503 when the budget is used up; `callerGone` when the connection ends
 */
export async function readBody(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  limits: BodyLimits,
): Promise<Buffer> {
  const { bytesMax } = limits;
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (Number(req.headers['content-length']) > bytesMax) throw new ServiceError('bodyTooLarge');
  const isPlain = encoding === 'identity' || encoding === '';
  if (!isPlain && !isKnown(encoding)) throw new ServiceError('contentEncoding');
  if (awaitsContinue(req)) {
    invited.add(req);
    res.writeContinue();
  }
  return withoutMark(await (isPlain ? collect(req, req, limits) : inflateBody(req, encoding, limits)));
}

/** Requests whose client has been asked for the body. */
const invited = new WeakSet<IncomingMessage>();

/**
 * Whether the client waits for `100 Continue` before it sends the body. HTTP/1.0 does not know that answer, and a client
 * that has begun to send does not wait for it.
 */
export function awaitsContinue(req: IncomingMessage): boolean {
  const { expect, 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
  if (expect === undefined || (coding === undefined && length === '0') || req.httpVersion === '1.0')
    return false;
  return !invited.has(req) && req.readableLength === 0 && !req.complete;
}

/** Editors of Windows put a byte order mark before a text in UTF-8 (RFC 8259, section 8.1, lets a reader ignore it). */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

async function inflateBody(
  req: IncomingMessage,
  encoding: keyof typeof inflaters,
  limits: BodyLimits,
): Promise<Buffer> {
  const { bytesMax } = limits;
  const inflate = inflaters[encoding]();
  let received = 0;
  req.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bytesMax) inflate.destroy(new ServiceError('bodyTooLarge'));
  });
  req.pipe(inflate);
  try {
    return await collect(req, inflate, limits);
  } finally {
    req.unpipe(inflate);
    inflate.destroy();
  }
}

function isKnown(encoding: string): encoding is keyof typeof inflaters {
  return Object.hasOwn(inflaters, encoding);
}

/** Events take about a tenth of the time that an async iterator takes for a body of three chunks. */
function collect(
  req: IncomingMessage,
  source: Readable,
  { bytesMax, timeoutMs, budget }: BodyLimits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => fail(new ServiceError('bodyTimeout')), timeoutMs);
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      budget.bytes += chunk.length;
      if (size > bytesMax) fail(new ServiceError('bodyTooLarge'));
      else if (budget.bytes > budget.bytesMax) fail(new ServiceError('overloaded', { retryAfterSeconds: 1 }));
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
    };
    const onInflateError = (error: Error): void =>
      fail(error instanceof ServiceError ? error : new ServiceError('bodyEncoding', { hint: encodingHint }));
    const onGone = (): void => {
      if (!req.complete) fail(new ServiceError('callerGone'));
    };
    let stopped = false;
    function stop(): void {
      if (!stopped) budget.bytes -= size;
      stopped = true;
      clearTimeout(timer);
      source.off('data', onData).off('end', onEnd);
      req.off('close', onGone);
    }
    function fail(error: ServiceError): void {
      stop();
      reject(error);
    }
    source.on('data', onData).on('end', onEnd);
    if (source !== req) source.on('error', onInflateError);
    // A 'close' follows every 'error'. A listener that stays would hold the body in memory until the answer.
    req.on('close', onGone);
  });
}

/** Reads and drops the rest of a refused request's body, within bounds. A client that waits to be asked sends none. */
export function drainBody(req: IncomingMessage): Promise<void> {
  if (req.complete || req.destroyed || awaitsContinue(req)) return Promise.resolve();
  return new Promise((resolve) => {
    let drained = 0;
    const done = (): void => {
      clearTimeout(timer);
      req.off('data', onData).off('end', done).off('close', done);
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      drained += chunk.length;
      if (drained > drainBytesMax) done();
    };
    const timer = setTimeout(done, drainMs);
    req.on('data', onData).on('end', done).on('close', done).resume();
  });
}
