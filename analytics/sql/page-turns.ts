import { sqlLimits } from '../../contract/sql-tables.js';
import type { PageId } from '../../lib/ids.js';
import { createLimiter, type Release } from '../../lib/limiter.js';
import { ServiceError } from '../../lib/service-error.js';

/** Lets a few queries of a page run at a time, and a few more wait. */
export type PageTurns = {
  /**
   * Resolves when the page may run a query. Call the returned function when the query has ended.
   *
   * @throws ServiceError `rateLimited` when too many wait already; the signal's reason when it is aborted first.
   */
  take(pageId: PageId, signal?: AbortSignal): Promise<Release>;
};

export function createPageTurns(): PageTurns {
  const { runningPerPage, waitingPerPage } = sqlLimits;
  const limiter = createLimiter<PageId>({ maxPerKey: runningPerPage, waitingMaxPerKey: waitingPerPage });
  return {
    async take(pageId, signal) {
      const release = await limiter.take(pageId, signal);
      if (release !== undefined) return release;
      const message = `${runningPerPage} queries of this page are running and ${waitingPerPage} are waiting; retry later.`;
      throw new ServiceError('rateLimited', { message, retryAfterSeconds: 5 });
    },
  };
}
