import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type Chunks, join } from '../lib/chunks.js';
import { createLimiter } from '../lib/limiter.js';
import { ServiceError } from '../lib/service-error.js';
import type { Timed, Timeouts } from '../lib/timeouts.js';
import {
  atOnceBytesMax,
  type Coding,
  type Compressed,
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
  /** The body is received as it was sent, in snappy and in nothing else. */
  isSnappy?: boolean | undefined;
  /** From the last header to the last byte of the body. */
  timeouts: Timeouts;
  budget: BodyBudget;
};

/** Bytes of all bodies that are being received. A body counts until it is complete and inflated. */
export type BodyBudget = { bytes: number; readonly bytesMax: number };

const bodiesBytesMax = 256 * 1024 * 1024;

/** Returns the bound on all bodies that a process is receiving: 256 MiB. */
export const createBodyBudget = (): BodyBudget => ({ bytes: 0, bytesMax: bodiesBytesMax });

/** How bodies arrive in a protocol. */
export type BodyForm<Source extends Readable> = {
  /** The connection. Those that send short compressed bodies take turns. */
  ownerOf(source: Source): object;
  /** Whether the last byte has arrived, read or not. */
  isWhole(source: Source): boolean;
  /** The envelope that the protocol puts around a body, where it has one. */
  frame?: {
    readonly bytes: number;
    /** Returns the body in what has arrived, and whether it is compressed. @throws ServiceError */
    open(sent: Buffer): { body: Buffer; isCompressed: boolean };
  };
};

const ofHttp: BodyForm<IncomingMessage> = {
  ownerOf: (req) => req.socket,
  isWhole: (req) => req.complete,
};

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
  const isAsSent = limits.isSnappy ? encoding === 'snappy' : encoding === 'identity' || encoding === '';
  const coding = isAsSent ? undefined : encoding;
  if (Number(length) > limits.bytesMax) receiver.onFault(new ServiceError('bodyTooLarge'));
  else if (limits.isSnappy && !isAsSent) receiver.onFault(notSnappy());
  else if (coding !== undefined && !isCoding(coding)) receiver.onFault(new ServiceError('contentEncoding'));
  // The caller hung up while its key was looked up: nothing more happens on the request.
  else if (req.destroyed) receiver.onFault(new ServiceError('callerGone'));
  else {
    if (awaitsContinue(req)) {
      invited.add(req);
      res.writeContinue();
    }
    collect(req, ofHttp, coding, limits, receiver);
  }
}

function notSnappy(): ServiceError {
  return new ServiceError('contentEncoding', { message: 'Content-Encoding must be snappy.' });
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

/**
 * Collects a body whose coding is known, as receiveBody() says. `bytesMax` is without the frame. Events take about a tenth of
 * the time that an async iterator takes for a body of three chunks.
 */
export function collect<Source extends Readable>(
  source: Source,
  form: BodyForm<Source>,
  coding: Coding | undefined,
  { bytesMax, isSnappy, timeouts, budget }: BodyLimits,
  receiver: BodyReceiver,
): void {
  const chunks: Buffer[] = [];
  const sentMax = bytesMax + (form.frame?.bytes ?? 0);
  let size = 0;
  const timed: Timed = { dueAt: 0, onTimeout: () => fail(new ServiceError('bodyTimeout')) };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    budget.bytes += chunk.length;
    if (size > sentMax) fail(new ServiceError('bodyTooLarge'));
    else if (budget.bytes > budget.bytesMax) fail(new ServiceError('overloaded', { retryAfterSeconds: 1 }));
    else chunks.push(chunk);
  };
  const onEnd = (): void => {
    if (form.frame === undefined && coding === undefined) {
      stop();
      budget.bytes -= size;
      const parts = chunks.length > partsMax ? [join(chunks)] : chunks;
      // The length before a block of snappy may look like the mark.
      receiver.onBody(isSnappy ? parts : withoutMark(parts));
      return;
    }
    const sent = join(chunks);
    let opened = { body: sent, isCompressed: true };
    try {
      if (form.frame !== undefined) opened = form.frame.open(sent);
    } catch (error) {
      fail(error);
      return;
    }
    stop();
    const { body, isCompressed } = opened;
    if (!isCompressed || coding === undefined) {
      budget.bytes -= size;
      receiver.onBody([body]);
      return;
    }
    inflate({ coding, bytes: body, bytesMax }, { size, budget, owner: form.ownerOf(source) }, receiver);
  };
  const onGone = (): void => {
    if (!form.isWhole(source)) fail(new ServiceError('callerGone'));
  };
  function stop(): void {
    timeouts.stop(timed);
    source.off('data', onData).off('end', onEnd).off('close', onGone);
  }
  function fail(error: unknown): void {
    stop();
    budget.bytes -= size;
    receiver.onFault(error);
  }
  // A stream of HTTP/2 without a byte ends by itself, also while the key is looked up.
  if (source.readableEnded) {
    onEnd();
    return;
  }
  timeouts.start(timed);
  // A 'close' follows every 'error'. A listener that stays would hold the body in memory until the answer.
  source.on('data', onData).on('end', onEnd).on('close', onGone);
}

/** The bytes for which a compressed body counts in the budget as it was sent, and the connection whose turn it takes. */
type Held = { size: number; budget: BodyBudget; owner: object };

/** Inflates a body that has arrived, and takes it out of the budget. */
function inflate(
  compressed: Omit<Compressed, 'mayTake'>,
  { size, budget, owner }: Held,
  receiver: BodyReceiver,
): void {
  const { bytes, bytesMax } = compressed;
  /** Returns for how many bytes of output the work counts; a refused body may have had all of them. */
  const inflateNow = (): number => {
    const mayTake = budget.bytesMax - budget.bytes;
    budget.bytes -= size;
    let body: Buffer;
    try {
      body = inflateAtOnce({ ...compressed, mayTake });
    } catch (error) {
      receiver.onFault(error);
      return inflatingWork(size, bytesMax);
    }
    receiver.onBody(withoutMark([body]));
    return inflatingWork(size, body.length);
  };
  /** The body as sent and the most that it may inflate to count until it is inflated. */
  const inflateLater = async (): Promise<Buffer> => {
    const release = await asideTurns.take(owner);
    const mayTake = budget.bytesMax - budget.bytes;
    const held = Math.max(0, Math.min(bytesMax, mayTake));
    budget.bytes += held;
    try {
      return await inflateAside({ ...compressed, mayTake });
    } finally {
      budget.bytes -= held + size;
      release?.();
    }
  };
  if (bytes.length <= atOnceBytesMax) inflateInTurn(owner, inflateNow);
  else
    inflateLater().then(
      (body) => receiver.onBody(withoutMark([body])),
      (error) => receiver.onFault(error),
    );
}

/** Reads and drops the rest of a refused request's body, within bounds. A client that waits to be asked sends none. */
export function drainBody(req: IncomingMessage): Promise<void> {
  // The requests of commands, which no socket carries, are never `complete`.
  return req.complete || awaitsContinue(req) ? Promise.resolve() : drain(req);
}

/** Reads and drops what is left of a stream: 16 MiB at most, for 2 s. */
export function drain(source: Readable): Promise<void> {
  if (source.readableEnded || source.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let drained = 0;
    const done = (): void => {
      clearTimeout(timer);
      source.off('data', onData).off('end', done).off('close', done);
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      drained += chunk.length;
      if (drained > drainBytesMax) done();
    };
    const timer = setTimeout(done, drainMs);
    source.on('data', onData).on('end', done).on('close', done).resume();
  });
}
