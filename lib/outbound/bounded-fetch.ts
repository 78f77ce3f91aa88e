import type { IncomingMessage } from 'node:http';
import { withTimeout } from '../timeout.js';
import { problemOfOutboundUrl } from '../web-address.js';
import { EgressError, explainFailure } from './egress-error.js';
import { createOutbound, openRequest, readStart } from './request.js';

export type BoundedFetchOptions = {
  /** Whether a request to this URL may go to loopback and private networks. */
  mayBePrivate(url: URL): boolean;
  /** For the whole request: resolving, connecting, sending and reading the answer. */
  timeoutMs: number;
  /** Bytes of the body of an answer; a longer one is an error. */
  bytesMax: number;
};

type FetchInit = {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
};

/** A `fetch` for packages that take one. It sends texts and forms. */
export type BoundedFetch = (url: string, init: FetchInit) => Promise<Response>;

/**
 * Makes a `fetch` over the agents that refuse private addresses where they are not allowed. It follows no redirect,
 * keeps no connection, and reads bounded answers.
 *
 * @throws EgressError (the fetch) when there is no answer within the bounds.
 */
export function createBoundedFetch({ mayBePrivate, timeoutMs, bytesMax }: BoundedFetchOptions): BoundedFetch {
  const anywhere = createOutbound({ allowPrivateAddresses: true });
  const publicOnly = createOutbound({ allowPrivateAddresses: false });

  async function exchange(text: string, init: FetchInit, signal: AbortSignal): Promise<Response> {
    const problem = problemOfOutboundUrl(text);
    if (problem !== undefined) throw new EgressError('url', problem);
    const url = new URL(text);
    const body = bodyOf(init.body);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const headers = { ...init.headers, ...length, 'accept-encoding': 'identity' };
    const sending = openRequest(mayBePrivate(url) ? anywhere : publicOnly, url, {
      ...{ method: init.method, headers, signal },
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sending.on('response', resolve).on('error', reject);
      sending.end(body);
    });
    const read = await readStart(response, bytesMax);
    if (read.error !== undefined) throw explainFailure(read.error);
    if (read.isCut) throw new EgressError('protocol', `The answer is larger than ${bytesMax} bytes.`);
    return toResponse(response, read.bytes);
  }

  return async (url, init) => {
    const error = () => new EgressError('timeout', `No answer within ${timeoutMs} ms.`);
    try {
      const { signal } = init;
      return await withTimeout((ending) => exchange(url, init, ending), timeoutMs, {
        ...{ error, ...(signal !== undefined && { signal }) },
      });
    } catch (failure) {
      throw failure instanceof EgressError ? failure : explainFailure(failure);
    }
  };
}

function bodyOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('The body must be a text or a form.');
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Response {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  );
  const hasBody = statusCode !== 204 && statusCode !== 304;
  // A status that no answer has would throw.
  if (statusCode < 200 || statusCode > 599) throw new EgressError('protocol', 'The answer is not HTTP.');
  return new Response(hasBody ? new Uint8Array(bytes) : null, { status: statusCode, headers: kept });
}
