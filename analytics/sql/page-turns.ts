import { sqlLimits } from '../../contract/sql-tables.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';

/** Gives the turn back; a second call does nothing. */
export type EndTurn = () => void;

/** Lets a few queries of a page run at a time, and a few more wait. */
export type PageTurns = {
  /**
   * Resolves when the page may run a query.
   *
   * @throws ServiceError `rateLimited` when too many wait already; the signal's reason when it is aborted first.
   */
  take(pageId: PageId, signal?: AbortSignal): Promise<EndTurn>;
};

type Page = { running: number; waiting: Set<() => void> };

/** Holds an entry per page with a query, and nothing for the others. */
export function createPageTurns(): PageTurns {
  const pages = new Map<PageId, Page>();

  function begin(pageId: PageId, page: Page): EndTurn {
    page.running += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      page.running -= 1;
      const [next] = page.waiting;
      if (next !== undefined) next();
      else if (page.running === 0) pages.delete(pageId);
    };
  }

  return {
    async take(pageId, signal) {
      signal?.throwIfAborted();
      const page = pages.get(pageId) ?? { running: 0, waiting: new Set() };
      pages.set(pageId, page);
      if (page.running < sqlLimits.runningPerPage) return begin(pageId, page);
      if (page.waiting.size >= sqlLimits.waitingPerPage) throw tooMany();
      return new Promise<EndTurn>((resolve, reject) => {
        const leave = (): void => {
          page.waiting.delete(start);
          signal?.removeEventListener('abort', abort);
        };
        const start = (): void => {
          leave();
          resolve(begin(pageId, page));
        };
        const abort = (): void => {
          leave();
          reject(signal?.reason);
        };
        page.waiting.add(start);
        signal?.addEventListener('abort', abort);
      });
    },
  };
}

function tooMany(): ServiceError {
  const { runningPerPage, waitingPerPage } = sqlLimits;
  const detail = `${runningPerPage} queries of this page are running and ${waitingPerPage} are waiting; retry later.`;
  return new ServiceError('rateLimited', { message: detail, retryAfterSeconds: 5 });
}
