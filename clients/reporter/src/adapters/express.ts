import type { Reporter } from '../create-reporter.js';
import {
  type ExpressRequest,
  type ExpressResponse,
  followRoutes,
  templateOf,
} from '../route-templates/express-layers.js';
import { type AdapterOptions, type NodeRequest, type NodeResponse, watchExchange } from './exchange.js';
import { failureOf } from './failures.js';

/**
 * Counts every request of an Express application, of major version 4 or 5. Install it before the routes:
 *
 *     import { heartline } from '@heartline/reporter/express';
 *     app.use(heartline(reporter));
 *
 * The endpoint is the path of the route as you wrote it, with those of the routers around it: `/shops/:shop/items/:item`.
 * With an array of paths it is the one that matched. A regular expression is written without its anchors:
 * `/^\/shops\/(\d+)$/` is `/shops/(\d+)`. A request that no route has taken, such as one that a middleware has answered,
 * is `unmatched`.
 */
export function heartline(reporter: Pick<Reporter, 'record'>, options: AdapterOptions = {}) {
  return function heartline(
    req: NodeRequest & ExpressRequest,
    res: NodeResponse & ExpressResponse,
    next: () => void,
  ): void {
    try {
      followRoutes(req, heartline);
    } catch {
      // The request is counted as unmatched.
    }
    watchExchange(reporter, req, res, {
      template: () => templateOf(req),
      ...(options.messages && { error: () => failureOf(req) }),
    });
    next();
  };
}
