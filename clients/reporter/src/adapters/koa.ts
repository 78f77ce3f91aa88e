import type { Reporter } from '../create-reporter.js';
import { templateOfPath } from '../route-templates/regexp-template.js';
import { type AdapterOptions, type NodeRequest, type NodeResponse, watchExchange } from './exchange.js';

/** A route or a middleware of @koa/router; a middleware has no methods. */
type Layer = { path?: unknown; methods?: unknown };

/** The part of Koa's context that is used. */
export type KoaContext = { req: NodeRequest; res: NodeResponse; method: string };

/** The part that @koa/router adds to it. */
type Routed = KoaContext & { matched?: unknown; _matchedRoute?: unknown };

/**
 * Counts every request of a Koa application, of major version 2 or 3. Install it before other middleware:
 *
 *     import { heartline } from '@heartline/reporter/koa';
 *     app.use(heartline(reporter));
 *
 * The endpoint is the path of the route of `@koa/router` as you wrote it, with the prefixes of the routers around it:
 * `/shops/:shop/items/:item`. A regular expression is written without its anchors: `/^\/shops\/(\d+)$/` is
 * `/shops/(\d+)`. A request that no route has taken is `unmatched`.
 */
export function heartline(reporter: Pick<Reporter, 'record'>, options: AdapterOptions = {}) {
  return async function heartline(ctx: KoaContext, next: () => Promise<unknown>): Promise<void> {
    let failure: unknown;
    watchExchange(reporter, ctx.req, ctx.res, {
      template: () => templateOf(ctx),
      ...(options.messages && { error: () => failure }),
    });
    try {
      await next();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
}

/** When a middleware of a router has answered, the route is the first one that it has kept from the request. */
function templateOf({ method, matched, _matchedRoute: current }: Routed): string | undefined {
  if (current === undefined) return undefined;
  const layers: readonly Layer[] = Array.isArray(matched) ? matched : [];
  const routes = layers.filter(({ methods }) => Array.isArray(methods) && methods.includes(method));
  const route = routes.find(({ path }) => path === current) ?? routes[0];
  return templateOfPath(route === undefined ? current : route.path);
}
