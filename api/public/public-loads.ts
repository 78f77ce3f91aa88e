import type { PageId } from '../../lib/ids.js';
import { createLimiter, type Limiter, type Release } from '../../lib/limiter.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import { storeUnavailable, tooManyReads } from '../../lib/service-error.js';
import { startDeadline, withTimeout } from '../../lib/timeout.js';

/**
 * The purpose of a load: `figures` come from ClickHouse, the others from PostgreSQL alone. A page has a known
 * number of `few`; those of `many` have addresses that a client may make up, such as months.
 */
export type LoadKind = 'figures' | 'few' | 'many';

/**
 * Bounds on work with the stores that requests without a key cause. The kinds share nothing: a ClickHouse that hangs
 * holds the loads of figures and no others, and a flood of made-up addresses leaves the status page its own. The 4 loads
 * of a page that each wait for a slow query leave 2 of the 6 connections that a process has for public reads in either
 * store.
 */
export const publicLoadLimits = {
  loadsPerKind: 32,
  figuresPerPage: 1,
  fewPerPage: 2,
  manyPerPage: 1,
  waitingPerKind: 1_000,
  waitingPerPageAndKind: 32,
};

/** How long a load waits for its place: for one that fails because a store hangs, and not for two. */
const placeMsMax = 5_000;
/** After this time a load counts as lost, and frees its place. */
const loadTimeoutMs = 30_000;

export type PublicLoads = {
  /**
   * Runs `work` for a page when there is a place for it. Free places go to the page that runs least.
   *
   * @throws ServiceError `overloaded` when too much waits already; `storeUnavailable` when no place gets free within 5 s, or
   *   `work` takes longer than 30 s; what `work` throws
   */
  run<T>(pageId: PageId, kind: LoadKind, work: () => Promise<T>): Promise<T>;
  /** Counts a read that was refused for another bound, and logs it with the others. */
  shed(): void;
};

export function createPublicLoads({ log, onShed = () => {} }: { log: Log; onShed?(): void }): PublicLoads {
  const { loadsPerKind, figuresPerPage, fewPerPage, manyPerPage } = publicLoadLimits;
  const { waitingPerKind, waitingPerPageAndKind } = publicLoadLimits;
  const createKind = (maxPerKey: number): Limiter<PageId> =>
    createLimiter({
      ...{ max: loadsPerKind, maxPerKey },
      ...{ waitingMax: waitingPerKind, waitingMaxPerKey: waitingPerPageAndKind },
    });
  const kinds: Record<LoadKind, Limiter<PageId>> = {
    figures: createKind(figuresPerPage),
    few: createKind(fewPerPage),
    many: createKind(manyPerPage),
  };
  const seldom = createSeldomLog(log);
  const lost = createSeldomLog(log);

  function shed(): void {
    onShed();
    seldom.note({}, 'Public reads were refused, because more is asked than the stores may be read for.');
  }

  function giveUp(): Error {
    lost.note(
      {},
      `Public reads were given up, because the stores did not answer within ${loadTimeoutMs} ms.`,
    );
    return storeUnavailable();
  }

  async function takePlace(pageId: PageId, kind: LoadKind): Promise<Release> {
    const deadline = startDeadline(placeMsMax, undefined, () => {
      shed();
      return storeUnavailable();
    });
    try {
      const release = await kinds[kind].take(pageId, deadline.signal);
      if (release !== undefined) return release;
    } finally {
      deadline.end();
    }
    shed();
    throw tooManyReads();
  }

  return {
    shed,
    async run(pageId, kind, work) {
      const release = await takePlace(pageId, kind);
      try {
        return await withTimeout(work(), loadTimeoutMs, { error: giveUp });
      } finally {
        release();
      }
    },
  };
}
