import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Chunks, join } from '../lib/chunks.js';
import { createLimiter } from '../lib/limiter.js';
import { ServiceError } from '../lib/service-error.js';
import type { Timed, Timeouts } from '../lib/timeouts.js';
import {
  atOnceBytesMax,
  type Coding,
  inflateAside,
  inflateAtOnce,
  inflatingWork,
  isCoding,
} from './inflate.js';
import { createStretches } from './stretches.js';

/** A request and its response, with or without a context of the application around them. */
export type Exchange = { req: IncomingMessage; res: ServerResponse };

export type BodyLimits = {
  bytesMax: number;
  /** From the last header to the last byte of the body. */
  timeouts: Timeouts;
  budget: BodyBudget;
};

/** Bytes of all bodies that are being received. A body counts until it is complete and inflated. */
export type BodyBudget = { bytes: number; readonly bytesMax: number };

/** Parts of a body that waits for its turn: a client that sends byte by byte must not make an object of each. */
const partsMax = 64;

/** Bounds on the rest of a refused body, which is read so that a client that still sends receives the answer. */
const drainBytesMax = 16 * 1024 * 1024;
const drainMs = 2_000;

/** Short bodies share the thread with all other work; see inflatingWork(). */
const inflateInTurn = createStretches(4 * 1024 * 1024);

/** Long bodies leave half of the four threads to files and look-ups of host names. Those that wait are in the budget. */
const asideTurns = createLimiter<object>({ max: 2, maxPerKey: 1 });

/** Takes the outcome of a body. One of the two is called, once; neither throws. */
export type BodyReceiver = { onBody(body: Chunks): void; onFault(error: unknown): void };

/** Receives a body as receiveBody() does, in one piece. */
export function readBody(exchange: Exchange, limits: BodyLimits): Promise<Buffer> {
  return new Promise((onBody, onFault) =>
    receiveBody(exchange, limits, { onBody: (body) => onBody(join(body)), onFault }),
  );
}

/**
 * Receives the body of a request in parts, inflated as its Content-Encoding says, without a byte order mark. Neither the body as
 * sent nor the inflated body ever takes more than `bytesMax` of memory. A client that waits for `100 Continue` gets
 * it here.
 *
 * The fault is a ServiceError 400, 408, 413, 415; 503 when the budget is used up; `callerGone` when the connection ends.
 */
export function receiveBody({ req, res }: Exchange, limits: BodyLimits, receiver: BodyReceiver): void {
  const { 'content-encoding': sent, 'content-length': length } = req.headers;
  const encoding = sent === undefined ? 'identity' : sent.trim().toLowerCase();
  const coding = encoding === 'identity' || encoding === '' ? undefined : encoding;
  if (Number(length) > limits.bytesMax) receiver.onFault(new ServiceError('bodyTooLarge'));
  else if (coding !== undefined && !isCoding(coding)) receiver.onFault(new ServiceError('contentEncoding'));
  // The caller hung up while its key was looked up: nothing more happens on the request.
  else if (req.destroyed) receiver.onFault(new ServiceError('callerGone'));
  else {
    if (awaitsContinue(req)) {
      invited.add(req);
      res.writeContinue();
    }
    collect(req, coding, limits, receiver);
  }
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
function withoutMark(chunks: Chunks): Chunks {
  const [first] = chunks;
  if (first?.[0] !== 0xef) return chunks;
  // The mark may come in parts.
  const body = join(chunks);
  return [body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body];
}

/** Events take about a tenth of the time that an async iterator takes for a body of three chunks. */
function collect(
  req: IncomingMessage,
  coding: Coding | undefined,
  { bytesMax, timeouts, budget }: BodyLimits,
  receiver: BodyReceiver,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const timed: Timed = { dueAt: 0, onTimeout: () => fail(new ServiceError('bodyTimeout')) };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    budget.bytes += chunk.length;
    if (size > bytesMax) fail(new ServiceError('bodyTooLarge'));
    else if (budget.bytes > budget.bytesMax) fail(new ServiceError('overloaded', { retryAfterSeconds: 1 }));
    else chunks.push(chunk);
  };
  const onEnd = (): void => {
    stop();
    if (coding === undefined) {
      budget.bytes -= size;
      receiver.onBody(withoutMark(chunks.length > partsMax ? [join(chunks)] : chunks));
      return;
    }
    const bytes = join(chunks);
    if (bytes.length <= atOnceBytesMax) inflateInTurn(req.socket, () => inflateNow(bytes, coding));
    else
      inflateLater(bytes, coding).then(
        (body) => receiver.onBody(withoutMark([body])),
        (error) => receiver.onFault(error),
      );
  };
  /** Returns for how many bytes of output the work counts; a refused body may have had all of them. */
  const inflateNow = (bytes: Buffer, coding: Coding): number => {
    const mayTake = budget.bytesMax - budget.bytes;
    budget.bytes -= size;
    let body: Buffer;
    try {
      body = inflateAtOnce({ coding, bytes, bytesMax, mayTake });
    } catch (error) {
      receiver.onFault(error);
      return inflatingWork(size, bytesMax);
    }
    receiver.onBody(withoutMark([body]));
    return inflatingWork(size, body.length);
  };
  /** The body as sent and the most that it may inflate to count until it is inflated. */
  const inflateLater = async (bytes: Buffer, coding: Coding): Promise<Buffer> => {
    const release = await asideTurns.take(req.socket);
    const mayTake = budget.bytesMax - budget.bytes;
    const held = Math.max(0, Math.min(bytesMax, mayTake));
    budget.bytes += held;
    try {
      return await inflateAside({ coding, bytes, bytesMax, mayTake });
    } finally {
      budget.bytes -= held + size;
      release?.();
    }
  };
  const onGone = (): void => {
    if (!req.complete) fail(new ServiceError('callerGone'));
  };
  function stop(): void {
    timeouts.stop(timed);
    req.off('data', onData).off('end', onEnd).off('close', onGone);
  }
  function fail(error: ServiceError): void {
    stop();
    budget.bytes -= size;
    receiver.onFault(error);
  }
  timeouts.start(timed);
  // A 'close' follows every 'error'. A listener that stays would hold the body in memory until the answer.
  req.on('data', onData).on('end', onEnd).on('close', onGone);
}

/** Reads and drops the rest of a refused request's body, within bounds. A client that waits to be asked sends none. */
export function drainBody(req: IncomingMessage): Promise<void> {
  // The requests of commands, which no socket carries, are never `complete`.
  if (req.complete || req.readableEnded || req.destroyed || awaitsContinue(req)) return Promise.resolve();
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
