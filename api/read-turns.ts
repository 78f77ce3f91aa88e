import { analyticsLimits } from '../contract/analytics.js';
import type { PageId } from '../lib/ids.js';
import { createLimiter } from '../lib/limiter.js';
import { ServiceError } from '../lib/service-error.js';
import type { KeyRoute } from './route.js';

/**
 * Makes routes wait for a turn of their page. Pages for which `isOwn` is true read from a ClickHouse of their own, and
 * take turns beside those of the other pages. A read for which too many of the same page wait already is answered with
 * 429.
 */
export type ReadTurns = (routes: readonly KeyRoute[], isOwn?: (pageId: PageId) => boolean) => KeyRoute[];

/**
 * Bounds the reads of a read key, over all routes that are passed to the result. One read takes up to 20 s of the stores
 * that all pages share, or of the page's own one, and a key may send any number of them.
 */
export function createReadTurns(): ReadTurns {
  const { reads, readsOfOwnStores, readsPerPage, readsWaitingPerPage } = analyticsLimits;
  const bounds = { maxPerKey: readsPerPage, waitingMaxPerKey: readsWaitingPerPage };
  const shared = createLimiter<PageId>({ ...bounds, max: reads });
  // A tenant's server that hangs holds turns for 20 s. They must not be those of pages that use the shared stores.
  const own = createLimiter<PageId>({ ...bounds, max: readsOfOwnStores });
  return (routes, isOwn = () => false) =>
    routes.map((route) => ({
      ...route,
      errors: [...route.errors, 'rateLimited'],
      async handle(ctx, grant) {
        const limiter = isOwn(grant.pageId) ? own : shared;
        const release = await limiter.take(grant.pageId);
        if (release === undefined) throw tooManyReads();
        try {
          await route.handle(ctx, grant);
        } finally {
          release();
        }
      },
    }));
}

function tooManyReads(): ServiceError {
  const { readsPerPage, readsWaitingPerPage } = analyticsLimits;
  const message = `${readsPerPage} reads of this page are running and ${readsWaitingPerPage} are waiting; retry later.`;
  return new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
}
