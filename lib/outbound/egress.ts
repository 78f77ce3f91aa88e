import type { ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { withTimeout } from '../timeout.js';
import { secondMs } from '../times.js';
import { problemOfOutboundUrl } from '../web-address.js';
import type { PrivateAddresses } from './address-guard.js';
import { EgressError, explainFailure } from './egress-error.js';
import { type BodyStart, createOutbound, openRequest, readStart } from './request.js';

export type EgressRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** For the whole request: resolving, connecting, sending and reading the answer. */
  timeoutMs: number;
  /** Ends the request; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** How much is read of the body of the answer; 8 KiB when absent. */
  answerBytesMax?: number;
};

export type EgressAnswer = {
  status: number;
  /** Header of a redirect. */
  location: string | undefined;
  /** Header `Retry-After`; see parseRetryAfter(). */
  retryAfter: string | undefined;
  /** The body as far as it was read. */
  body: BodyStart;
};

/** Requests to addresses that tenants chose. */
export type Egress = {
  /** Does not follow redirects. @throws EgressError when there is no answer. */
  send(request: EgressRequest): Promise<EgressAnswer>;
};

const answerBytesMaxUsual = 8 * 1024;

/** Refuses private addresses unless they are allowed. */
export function createEgress(options: {
  allowPrivateAddresses: PrivateAddresses;
  lookup?: LookupFunction;
}): Egress {
  const outbound = createOutbound(options);

  async function exchange(request: EgressRequest, signal: AbortSignal): Promise<EgressAnswer> {
    const { url, method, headers, body, answerBytesMax = answerBytesMaxUsual } = request;
    const problem = problemOfOutboundUrl(url);
    if (problem !== undefined) throw new EgressError('url', problem);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const opened = openRequest(outbound, new URL(url), {
      method,
      signal,
      headers: { ...headers, ...length },
    });
    const response = await answered(opened.end(body));
    return {
      status: response.statusCode ?? 0,
      location: response.headers.location,
      retryAfter: response.headers['retry-after'],
      body: await readStart(response, answerBytesMax),
    };
  }

  return {
    async send(request) {
      const { timeoutMs, signal } = request;
      const limit = timeoutMs % secondMs === 0 ? `${timeoutMs / secondMs} s` : `${timeoutMs} ms`;
      const timeout = new EgressError('timeout', `No answer within ${limit}.`);
      try {
        return await withTimeout((ending) => exchange(request, ending), timeoutMs, {
          error: () => timeout,
          ...(signal !== undefined && { signal }),
        });
      } catch (error) {
        signal?.throwIfAborted();
        throw error instanceof EgressError ? error : explainFailure(error);
      }
    },
  };
}

function answered(sending: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.on('response', resolve).on('error', reject);
  });
}
