import type { PageId } from '../../lib/ids.js';
import { createLimiter, type Release } from '../../lib/limiter.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import { storeUnavailable, tooManyReads } from '../../lib/service-error.js';
import { startDeadline, withTimeout } from '../../lib/timeout.js';

/**
 * Bounds on work with the stores that requests without a key cause. A page has 4 loads: 2 of `few`, of which it has a
 * known number, and 2 of `many`, whose addresses a client may make up, such as months. So a flood of the latter leaves
 * the status page its own, and 4 loads that each wait for a slow query leave 2 of the 6 connections that a process has
 * for public reads in either store.
 */
export const publicLoadLimits = {
  loads: 64,
  loadsPerPageAndKind: 2,
  waiting: 1_000,
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
  run<T>(pageId: PageId, kind: 'few' | 'many', work: () => Promise<T>): Promise<T>;
  /** Counts a read that was refused for another bound, and logs it with the others. */
  shed(): void;
};

export function createPublicLoads({ log, onShed = () => {} }: { log: Log; onShed?(): void }): PublicLoads {
  const { loads, loadsPerPageAndKind, waiting, waitingPerPageAndKind } = publicLoadLimits;
  const limiter = createLimiter<string>({
    ...{ max: loads, maxPerKey: loadsPerPageAndKind },
    ...{ waitingMax: waiting, waitingMaxPerKey: waitingPerPageAndKind },
  });
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

  async function takePlace(key: string): Promise<Release> {
    const deadline = startDeadline(placeMsMax, undefined, storeUnavailable);
    try {
      const release = await limiter.take(key, deadline.signal);
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
      const release = await takePlace(`${pageId} ${kind}`);
      try {
        return await withTimeout(work(), loadTimeoutMs, { error: giveUp });
      } finally {
        release();
      }
    },
  };
}
