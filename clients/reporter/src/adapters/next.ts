import type { Reporter } from '../create-reporter.js';
import { type AdapterOptions, ask, type NodeRequest, type NodeResponse, watchExchange } from './exchange.js';
import { beginFetchExchange, type FetchExchange } from './fetch-exchange.js';

/**
 * Counts the requests of handlers of Next.js: of route handlers of the App Router, and of API routes in `pages/api`. Make
 * the function once, and wrap each handler with the path of its file:
 *
 *     import { heartline } from '@heartline/reporter/next';
 *     export const withHeartline = heartline(reporter);
 *
 *     export const GET = withHeartline('/shops/[shop]', async (request, { params }) => Response.json(await params));
 *
 * The errors of `notFound()` and `redirect()` count with the status that Next.js answers, and are passed on.
 */
export function heartline(reporter: Pick<Reporter, 'record'>, options: AdapterOptions = {}) {
  return function withHeartline<Arguments extends unknown[], Result>(
    template: string,
    handler: (...args: Arguments) => Result,
  ): (...args: Arguments) => Result {
    return function (this: unknown, ...args) {
      const handle = () => handler.apply(this, args);
      const [request, response] = args;
      let failure: unknown;
      const about = { template: () => template, ...(options.messages && { error: () => failure }) };
      const note = (error: unknown): void => {
        failure = error;
      };
      // Next.js takes a look at the headers or the address for a sign that the answer cannot be made in advance.
      if (request instanceof Request) {
        const exchange = ask(() => beginFetchExchange(reporter, request, about));
        return exchange === undefined ? handle() : answerFetch(exchange, handle, note);
      }
      if (ask(() => isNodeResponse(response)))
        watchExchange(reporter, request as NodeRequest, response as NodeResponse, about);
      return settle(handle, (result) => result, note);
    };
  };
}

function isNodeResponse(value: unknown): boolean {
  const { once, statusCode } = (value ?? {}) as { once?: unknown; statusCode?: unknown };
  return typeof once === 'function' && typeof statusCode === 'number';
}

function answerFetch<Result>(
  exchange: FetchExchange,
  handle: () => Result,
  note: (error: unknown) => void,
): Result {
  const respond = (result: Awaited<Result>) => {
    if (result instanceof Response) return exchange.respond(result) as typeof result;
    // Next.js answers for a handler that returns no response.
    exchange.fail(500);
    return result;
  };
  return settle(handle, respond, (error) => {
    const status = statusOf(error) ?? 0;
    if (status >= 500) note(error);
    if (status > 0) exchange.fail(status);
  });
}

/** Calls a handler, which may return a promise, and looks at what comes of it. */
function settle<Result>(
  handle: () => Result,
  onResult: (result: Awaited<Result>) => Awaited<Result>,
  onError: (error: unknown) => void,
): Result {
  const fail = (error: unknown): never => {
    onError(error);
    throw error;
  };
  let result: Result;
  try {
    result = handle();
  } catch (error) {
    return fail(error);
  }
  if (result instanceof Promise) return result.then(onResult, fail) as Result;
  return onResult(result as Awaited<Result>);
}

/**
 * The status that Next.js answers for an error. Its `digest` tells what has been called: `notFound()` and others throw
 * `NEXT_HTTP_ERROR_FALLBACK;404`, `NEXT_NOT_FOUND` before version 15, and `redirect()` throws
 * `NEXT_REDIRECT;replace;/to;307;`. Returns `undefined` for what Next.js throws while it builds pages.
 */
function statusOf(error: unknown): number | undefined {
  const { digest } = (error ?? {}) as { digest?: unknown };
  if (typeof digest !== 'string') return 500;
  if (digest === 'NEXT_NOT_FOUND') return 404;
  if (digest === 'DYNAMIC_SERVER_USAGE' || digest === 'HANGING_PROMISE_REJECTION') return undefined;
  const [, fallback] = /^NEXT_HTTP_ERROR_FALLBACK;(\d{3})$/.exec(digest) ?? [];
  if (fallback !== undefined) return Number(fallback);
  if (!digest.startsWith('NEXT_REDIRECT;')) return 500;
  return Number(/;(30\d);?$/.exec(digest)?.[1] ?? 307);
}
