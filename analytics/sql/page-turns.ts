import { setTimeout as delay } from 'node:timers/promises';
import { sqlLimits } from '../../contract/sql-tables.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { createLimiter, type Release } from '../../lib/limiter.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import type { RunningQueries } from './running-queries.js';
import { toListError } from './sql-errors.js';

/** Lets a few queries of a page run at a time, and a few more wait. */
export type PageTurns = {
  /**
   * Resolves when the page may run a query. Call the returned function when the query has ended.
   *
   * @throws ServiceError `rateLimited` when too many wait already, an earlier query of the page does not end, or the page
   *   is blocked; `storeUnavailable` when the server does not say what it runs; the signal's reason when it is aborted
   *   first.
   */
  take(pageId: PageId, signal?: AbortSignal): Promise<Release>;
  /** Refuses the page for half an hour from now: a query of it cannot be killed. */
  block(pageId: PageId): void;
};

const { runningPerPage, waitingPerPage, timeSeconds } = sqlLimits;
const checkMs = 100;
/** A query that was cancelled ends with its block of rows, which takes less than a second. */
const cancelledChecksMax = 20;
/** For as long as a query of another process may run. */
const checksMax = (timeSeconds * 1_000) / checkMs;
/** A restart of the server every 3 minutes would be possible without it; with it, two an hour for a page. */
const blockMs = 30 * minuteMs;
/** Blocked pages that a process remembers; it forgets the oldest first. A restart is caused by one or two. */
const blockedMax = 1_000;

/**
 * The turns of this process, and the server's list of what the page runs for all processes and instances. The server
 * knows what no process has to remember: a query that ignores its end holds a core, and until it has ended the page
 * gets no further one. A restart of the server makes it forget, so each process remembers by itself which pages caused
 * one. Processes that ask at the same moment do not see each other's query: there are about two over all instances, and
 * at most two on a process.
 */
export function createPageTurns(
  loadRunning: (pageId: PageId, signal?: AbortSignal) => Promise<RunningQueries>,
  clock: Clock,
): PageTurns {
  const limiter = createLimiter<PageId>({ maxPerKey: runningPerPage, waitingMaxPerKey: waitingPerPage });
  /** The oldest first. */
  const blockedUntil = new Map<PageId, number>();

  function assertNotBlocked(pageId: PageId): void {
    const leftMs = (blockedUntil.get(pageId) ?? 0) - clock.now();
    if (leftMs > 0) throw blocked(Math.ceil(leftMs / 1_000));
    blockedUntil.delete(pageId);
  }

  async function untilFree(pageId: PageId, signal: AbortSignal | undefined): Promise<void> {
    for (let check = 1; ; check += 1) {
      assertNotBlocked(pageId);
      const { running, cancelled, overdue } = await loadRunning(pageId, signal).catch((cause: unknown) => {
        throw toListError(cause);
      });
      if (overdue > 0 || (cancelled > 0 && check > cancelledChecksMax)) throw stuck();
      if (cancelled === 0 && running < runningPerPage) return;
      if (check > checksMax) throw tooMany();
      await delay(checkMs, undefined, { ...(signal !== undefined && { signal }) });
    }
  }

  return {
    async take(pageId, signal) {
      const release = await limiter.take(pageId, signal);
      if (release === undefined) throw tooMany();
      try {
        await untilFree(pageId, signal);
        return release;
      } catch (error) {
        release();
        signal?.throwIfAborted();
        throw error;
      }
    },
    block(pageId) {
      blockedUntil.delete(pageId);
      blockedUntil.set(pageId, clock.now() + blockMs);
      const [oldest] = blockedUntil.keys();
      if (blockedUntil.size > blockedMax && oldest !== undefined) blockedUntil.delete(oldest);
    },
  };
}

function tooMany(): ServiceError {
  const message = `${runningPerPage} queries of this page are running and ${waitingPerPage} are waiting; retry later.`;
  return new ServiceError('rateLimited', { message, retryAfterSeconds: 5 });
}

function stuck(): ServiceError {
  const message =
    'An earlier query of this page was stopped at its limit and has not ended yet; retry later, with smaller arrays and texts.';
  return new ServiceError('rateLimited', { message, retryAfterSeconds: 30 });
}

function blocked(retryAfterSeconds: number): ServiceError {
  const message =
    'An earlier query of this page could not be stopped, so its SQL is refused for half an hour; retry later, with smaller arrays and texts.';
  return new ServiceError('rateLimited', { message, retryAfterSeconds });
}
