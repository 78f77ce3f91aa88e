import type { Reporter } from '../create-reporter.js';
import { templateOfPath } from '../route-templates/regexp-template.js';
import { type AdapterOptions, ask, type NodeRequest, type NodeResponse, watchExchange } from './exchange.js';
import { beginFetchExchange } from './fetch-exchange.js';

/** The part of Hono's context that is used. */
export type HonoContext = {
  req: { raw: Request; routeIndex: number };
  res: Response;
  error: Error | undefined;
  env: unknown;
};

/** A handler or a middleware, as Hono keeps it, that a request may come to; a middleware is one for all methods. */
type Route = { path: string; method: string; handler: unknown };

/**
 * Counts every request of a Hono application. Install it before the routes:
 *
 *     import { heartline } from '@heartline/reporter/hono';
 *     app.use(heartline(reporter));
 *
 * The endpoint is the path of the route as you wrote it, with those of `basePath()` and `route()`:
 * `/shops/:shop/items/:item`. A request that no route has taken, such as one that a middleware has answered, is
 * `unmatched`.
 */
export function heartline(reporter: Pick<Reporter, 'record'>, options: AdapterOptions = {}) {
  return async function heartline(c: HonoContext, next: () => Promise<void>): Promise<void> {
    let failure: unknown;
    const about = {
      template: () => templateOf(c),
      ...(options.messages && { error: () => failure ?? c.error }),
    };
    const node = ask(() => nodeExchangeOf(c.env));
    if (node !== undefined) watchExchange(reporter, node.incoming, node.outgoing, about);
    const exchange =
      node === undefined ? ask(() => beginFetchExchange(reporter, c.req.raw, about)) : undefined;
    try {
      await next();
    } catch (error) {
      failure = error;
      exchange?.fail(500);
      throw error;
    }
    const counted = exchange && ask(() => exchange.respond(c.res));
    if (counted !== undefined && counted !== c.res) c.res = counted;
  };
}

/** `@hono/node-server` passes on the objects of Node.js, by which the end of a response is known exactly. */
function nodeExchangeOf(env: unknown): { incoming: NodeRequest; outgoing: NodeResponse } | undefined {
  if (typeof env !== 'object' || env === null) return undefined;
  const { incoming, outgoing } = env as { incoming?: NodeRequest; outgoing?: Partial<NodeResponse> };
  if (typeof incoming !== 'object' || typeof outgoing?.on !== 'function') return undefined;
  return { incoming, outgoing: outgoing as NodeResponse };
}

/**
 * Returns the path of the handler that has answered. When a middleware has answered, the route is the first one that it
 * has kept from the request.
 */
function templateOf({ req }: HonoContext): string | undefined {
  return templateOfPath(routesOf(req).slice(req.routeIndex).find(isHandler)?.path);
}

/** Hono 4 has them as `matchedRoutes`, and under a symbol of its own for the helpers of `hono/route`. */
function routesOf(req: HonoContext['req'] & { matchedRoutes?: readonly Route[] }): readonly Route[] {
  if (req.matchedRoutes !== undefined) return req.matchedRoutes;
  const prototype: object = Object.getPrototypeOf(req);
  const symbol = Object.getOwnPropertySymbols(prototype).find((one) => Array.isArray(Reflect.get(req, one)));
  const result = symbol === undefined ? [[]] : (Reflect.get(req, symbol) as [[[[unknown, Route], unknown]]]);
  return result[0].map(([[, route]]) => route);
}

/** As Hono's own list of routes tells them apart: a handler takes the context alone, a middleware also `next`. */
function isHandler({ method, handler }: Route): boolean {
  return method !== 'ALL' || parametersOf(handler) < 2;
}

function parametersOf(handler: unknown): number {
  if (typeof handler !== 'function') return 0;
  // An application with an error handler of its own wraps its handlers.
  const wrapped: unknown = Reflect.get(handler, '__COMPOSED_HANDLER');
  return wrapped === undefined ? handler.length : parametersOf(wrapped);
}
