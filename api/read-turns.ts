import { analyticsLimits } from '../contract/analytics/limits.js';
import type { PageId } from '../lib/ids.js';
import { createLimiter, type Limiter, type Release } from '../lib/limiter.js';
import { ServiceError, storeUnavailable, tooManyReads } from '../lib/service-error.js';
import { startDeadline } from '../lib/timeout.js';
import { secondMs } from '../lib/times.js';
import { hangUpSignal } from './hang-up.js';
import type { PageRead } from './page-read.js';
import type { CheckReadiness } from './routes/health.js';

/**
 * Makes reads wait for a turn of their page. Pages for which `isOwn` is true read from a ClickHouse of their own, and
 * take turns beside those of the other pages. A read gets no turn when too many of the same page wait already, when it
 * has waited too long, or when its caller leaves. While a store is down, the answer is the same 503 as for a read with a
 * turn. A read that asks PostgreSQL gets that answer in place of its turn while PostgreSQL is down: each would hold the
 * turn for up to 4.5 s, and the reads of ClickHouse behind a few of them would get none.
 */
export type ReadTurns = (reads: readonly PageRead[], isOwn?: (pageId: PageId) => boolean) => PageRead[];

const { reads, readsOfOwnStores, readsPerPage, readsWaitingPerPage, readWaitSecondsMax } = analyticsLimits;

/**
 * Bounds the private reads of a page, over all reads that are passed to the result and all routes that they have. One read takes up to 8 s of the stores
 * that all pages share, or of the page's own one, and a caller may send any number of them.
 */
export function createReadTurns(checkReadiness: CheckReadiness): ReadTurns {
  const bounds = { maxPerKey: readsPerPage, waitingMaxPerKey: readsWaitingPerPage };
  const shared = createLimiter<PageId>({ ...bounds, max: reads });
  // A tenant's server that hangs holds turns for 8 s. Pages that use the shared stores need turns of their own.
  const own = createLimiter<PageId>({ ...bounds, max: readsOfOwnStores });
  return (pageReads, isOwn = () => false) =>
    pageReads.map((one) => ({
      ...one,
      errors: [...one.errors, 'rateLimited', 'overloaded'],
      async read(ctx, pageId) {
        const limiter = isOwn(pageId) ? own : shared;
        const release =
          limiter.tryTake(pageId) ??
          (await waitForTurn(limiter, pageId, { one, signal: hangUpSignal(ctx.res), checkReadiness }));
        try {
          await one.read(ctx, pageId);
        } finally {
          release();
        }
      },
    }));
}

/**
 * @throws ServiceError `storeUnavailable` when no turn came of the wait and a store was down during it, and in place of the
 *   turn of a read that asks PostgreSQL while that is down
 */
async function waitForTurn(
  limiter: Limiter<PageId>,
  pageId: PageId,
  { one, signal, checkReadiness }: { one: PageRead; signal: AbortSignal; checkReadiness: CheckReadiness },
): Promise<Release> {
  const stores = watchStores(checkReadiness);
  try {
    const release = await takeTurn(limiter, pageId, signal).catch(async (error: unknown) => {
      // The reads that hold the turns may have waited for a store: then the caller has not asked for too much.
      throw !signal.aborted && (await stores.wereDown()) ? storeUnavailable() : error;
    });
    if (!one.asksPostgres || !stores.isPostgresDown()) return release;
    release();
    throw storeUnavailable();
  } finally {
    stores.end();
  }
}

/** Looks from now on, because a store that was down for some seconds holds up reads for longer. */
function watchStores(checkReadiness: CheckReadiness): {
  wereDown(): Promise<boolean>;
  /** Whether PostgreSQL did not answer the last look. */
  isPostgresDown(): boolean;
  end(): void;
} {
  let down = false;
  let postgresDown = false;
  const look = async (): Promise<void> => {
    const checks = await checkReadiness();
    postgresDown = checks['postgres'] !== 'ok';
    if (Object.values(checks).some((state) => state !== 'ok')) down = true;
  };
  // All waiting reads share one check a second.
  const timer = setInterval(look, secondMs);
  void look();
  return {
    async wereDown() {
      await look();
      return down;
    },
    isPostgresDown: () => postgresDown,
    end: () => clearInterval(timer),
  };
}

/**
 * @throws ServiceError `rateLimited` when reads of the page itself leave no turn, `overloaded` when those of other pages
 *   do; the reason of `signal`
 */
async function takeTurn(limiter: Limiter<PageId>, pageId: PageId, signal: AbortSignal): Promise<Release> {
  const noTurn = () =>
    limiter.running.get(pageId) === readsPerPage
      ? tooManyOfPage(`Earlier reads of this page have run for ${readWaitSecondsMax} s; retry later.`)
      : tooManyReads();
  const deadline = startDeadline(readWaitSecondsMax * 1_000, signal, noTurn);
  try {
    const release = await limiter.take(pageId, deadline.signal);
    if (release !== undefined) return release;
  } finally {
    deadline.end();
  }
  throw tooManyOfPage(
    `${readsPerPage} reads of this page are running and ${readsWaitingPerPage} are waiting; retry later.`,
  );
}

function tooManyOfPage(message: string): ServiceError {
  return new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
}
