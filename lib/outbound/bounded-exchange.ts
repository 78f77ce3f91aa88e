import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Route } from './connect.js';
import { EgressError, explainFailure } from './egress-error.js';
import { openRequest } from './request.js';

export type BoundedRequest = {
  url: URL;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Bytes of the whole answer as it arrives, its headers included. */
  answerBytesMax: number;
  /** Bounds the time: the exchange ends with its reason. */
  signal: AbortSignal;
};

export type BoundedAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as it arrives, which is never compressed. */
  body: AsyncIterable<Buffer>;
};

/** A server sends one of them, if any; each costs as much as an answer. */
const interimAnswersMax = 8;
/** A server that sends single bytes makes 64 KiB of body from 400 KiB, and each byte costs as much as a large piece. */
const framingShareMax = 0.25;
/** Data that has arrived, but is not read yet. */
const aheadBytesMax = 512 * 1024;

/**
 * Posts to a server that a tenant chose and that may answer with anything, and passes the answer to `read`. The
 * connection is the request's own, and is closed when `read` has ended. Redirects are not followed.
 *
 * @throws EgressError when the server does not answer, answers more than `answerBytesMax`, breaks off, or compresses
 *   its answer, which is then not inflated; the reason of `signal`; and whatever `read` throws.
 */
export async function exchangeBounded<T>(
  route: Route,
  { url, headers, body, answerBytesMax, signal }: BoundedRequest,
  read: (answer: BoundedAnswer) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // Destroying a request ends it only when it has a connection.
  const ending = new AbortController();
  let failure: Error | undefined;
  const end = (error: Error): void => {
    failure ??= error;
    ending.abort(failure);
  };
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const sending = openRequest(route, url, {
    method: 'POST',
    signal: ending.signal,
    headers: { ...headers, ...length, 'accept-encoding': 'identity' },
  });
  const abort = (): void => end(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const wire = countWire(sending, answerBytesMax, end);
  try {
    const response = await answered(sending.end(body));
    const encoding = response.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      throw new EgressError('protocol', 'The answer is compressed, which the request does not allow.');
    }
    return await read({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: readWhole(response, wire),
    });
  } catch (error) {
    throw failure ?? error;
  } finally {
    signal.removeEventListener('abort', abort);
    sending.destroy();
  }
}

/** Counts what arrives, whatever it is: headers, interim answers, pieces of a body and what stands between them. */
function countWire(sending: ClientRequest, bytesMax: number, end: (error: Error) => void): { bytes: number } {
  const wire = { bytes: 0 };
  let interimAnswers = 0;
  sending.on('information', () => {
    interimAnswers += 1;
    if (interimAnswers > interimAnswersMax) {
      end(new EgressError('protocol', 'The server sends one interim answer after the other.'));
    }
  });
  sending.on('socket', (socket) => {
    socket.on('data', (part: Buffer) => {
      wire.bytes += part.length;
      if (wire.bytes > bytesMax) {
        end(new EgressError('protocol', `The answer is larger than ${printBytes(bytesMax)}.`));
      }
    });
  });
  return wire;
}

function printBytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return mebibytes >= 1 ? `${Math.floor(mebibytes)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;
}

function answered(sending: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.on('response', resolve);
    // It stays, because the connection may fail again after the answer has begun.
    sending.on('error', (error) => reject(explainFailure(error)));
    // A server that switches protocols causes no error.
    sending.on('close', () => reject(new EgressError('connection', 'The server closes the connection.')));
  });
}

async function* readWhole(response: IncomingMessage, wire: { bytes: number }): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length;
      yield part;
      if (wire.bytes > bytes * (1 + framingShareMax) + aheadBytesMax) {
        throw new EgressError('protocol', 'The answer comes in too many small pieces.');
      }
    }
  } catch (error) {
    throw error instanceof EgressError ? error : explainFailure(error);
  }
}
