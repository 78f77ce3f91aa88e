import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Reporter } from '../create-reporter.js';
import { type AdapterOptions, clientGone, messageOf } from './exchange.js';

/** An outgoing request. */
export type OutgoingRequest = {
  /** Such as `https://api.stripe.com`. */
  origin: string;
  method: string;
  /** With the query. */
  path: string;
};

export type OutgoingOptions = AdapterOptions & {
  /** Returns the endpoint of a request, or `undefined` for `outgoing` and the host. */
  template?: (request: OutgoingRequest) => string | undefined;
};

type Message = {
  request: { origin?: unknown; method?: unknown; path?: unknown };
  response?: { statusCode: number };
  error?: unknown;
};

/**
 * Counts the requests that this process sends with `fetch` or undici, from now on until the returned function is called:
 *
 *     import { heartline } from '@heartline/reporter/undici';
 *     const stop = heartline(reporter);
 *
 * The endpoint is `outgoing` and the host, `outgoing api.stripe.com`, so that nothing of a URL's path is reported; with
 * `template` it is what you make of the request. A request ends with the headers of its response. One without a response
 * counts as 504 if the other side took too long, as 499 if this process gave up, otherwise as 502.
 */
export function heartline(reporter: Pick<Reporter, 'record'>, options: OutgoingOptions = {}): () => void {
  const started = new WeakMap<object, number>();
  const onCreate = quietly(({ request }) => {
    started.set(request, performance.now());
  });
  const end = (request: Message['request'], status: number, error?: unknown): void => {
    const startedAt = started.get(request);
    if (startedAt === undefined || !started.delete(request)) return;
    const described = describe(request);
    reporter.record({
      endpoint: endpointOf(described, options),
      method: described.method,
      status,
      ms: performance.now() - startedAt,
      message: options.messages ? messageOf(error) : undefined,
    });
  };
  const onHeaders = quietly(({ request, response }) => {
    // Informational responses precede the one that counts.
    if (response !== undefined && response.statusCode >= 200) end(request, response.statusCode);
  });
  const onError = quietly(({ request, error }) => end(request, statusOf(error), error));
  subscribe('undici:request:create', onCreate);
  subscribe('undici:request:headers', onHeaders);
  subscribe('undici:request:error', onError);
  return () => {
    unsubscribe('undici:request:create', onCreate);
    unsubscribe('undici:request:headers', onHeaders);
    unsubscribe('undici:request:error', onError);
  };
}

/** A subscriber that throws would end the process. */
function quietly(act: (message: Message) => void): (message: unknown) => void {
  return (message) => {
    try {
      act(message as Message);
    } catch {
      // The request is not counted.
    }
  };
}

function describe({ origin, method, path }: Message['request']): OutgoingRequest {
  return { origin: String(origin), method: String(method), path: String(path) };
}

function endpointOf(request: OutgoingRequest, { template }: OutgoingOptions): string {
  let own: string | undefined;
  try {
    own = template?.(request);
  } catch {
    // As without an option.
  }
  return own ?? `outgoing ${new URL(request.origin).host}`;
}

function statusOf(error: unknown): number {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (/TIMEOUT|ETIMEDOUT/.test(String(code)) || name === 'TimeoutError') return 504;
  return name === 'AbortError' || code === 'UND_ERR_ABORTED' ? clientGone : 502;
}
