import { poolReportLimits } from '../../contract/pool-reports.js';
import type { Clock } from '../../lib/clock.js';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { commitReports } from './commit-reports.js';
import { createPoolDelivery, type DeliveryMetrics } from './deliver.js';
import { type IncomingReport, toIncoming } from './incoming.js';
import type { PageUsage } from './load-held.js';
import type { CheckedPoolReport } from './parse-pool-report.js';

export type PoolReportMetrics = DeliveryMetrics & {
  /** Reports by what became of them. */
  decided(outcome: 'stored' | 'duplicate' | 'refused' | 'failed'): void;
};

/** `duplicate` is undefined when the page has sent more than it may: then nothing was written. */
export type Accepted = { usage: PageUsage; duplicate: boolean | undefined };

/** A report on its way, and who waits for it. */
export type Waiting = { incoming: IncomingReport; outcome: Deferred<Accepted> };

export type PoolReports = ReturnType<typeof createPoolReports>;

/** Of the reports that wait for the next transaction; more are refused with 503. */
const waitingMax = { reports: 2_000, pools: 8_000 };
/** One page leaves room for the others. */
const waitingOfPageMax = { reports: 1_024, pools: 4_096 };
/** Twenty transactions a second at most; a report waits for half of that time on average. */
const paceMs = 50;
/** A transaction under way for longer means that PostgreSQL hangs: new reports are refused until it is through. */
const stalledAfterMs = 3_000;
/** A page is full to the end of a minute, by a clock that is ahead by less than another; else ours was put back. */
const fullMsMax = 120_000;

/**
 * The way of a pool report from the contract to its acknowledgement. One transaction is under way, which decides about
 * each of its reports and writes down all that ClickHouse is to get; what arrives meanwhile forms the next one. Whoever
 * sent a report hears of it when PostgreSQL has it; ClickHouse follows.
 */
export function createPoolReports(deps: {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  metrics: PoolReportMetrics;
}) {
  const { clock } = deps;
  const delivery = createPoolDelivery(deps);
  /** Until when pages have sent too many. */
  const fullUntil = new Map<PageId, number>();
  let waiting: Waiting[] = [];
  let waitingPools = 0;
  let waitingOfPages = new Map<PageId, { reports: number; pools: number }>();
  let busySince: number | undefined;
  let leftAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let closing: Deferred<void> | undefined;

  /** Counts a report that waits from now on. */
  function admit(pageId: PageId, pools: number): void {
    if (closing !== undefined) throw new ServiceError('shuttingDown', { retryAfterSeconds: 1 });
    const stalled = busySince !== undefined && clock.now() - busySince > stalledAfterMs;
    const ofPage = waitingOfPages.get(pageId) ?? { reports: 0, pools: 0 };
    const full =
      waiting.length >= waitingMax.reports ||
      waitingPools + pools > waitingMax.pools ||
      ofPage.reports >= waitingOfPageMax.reports ||
      ofPage.pools + pools > waitingOfPageMax.pools;
    if (stalled || delivery.isFull) throw new ServiceError('storeBusy', { retryAfterSeconds: 5 });
    if (full) throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
    waitingPools += pools;
    waitingOfPages.set(pageId, { reports: ofPage.reports + 1, pools: ofPage.pools + pools });
  }

  /** What is known without asking: that the page has sent too many. */
  function findFull(pageId: PageId): Accepted | undefined {
    const msLeft = (fullUntil.get(pageId) ?? 0) - clock.now();
    if (msLeft <= 0 || msLeft > fullMsMax) return undefined;
    const requests = poolReportLimits.requestsPerPageAndMinute + 1;
    return { usage: { requests, msLeft }, duplicate: undefined };
  }

  function noteFull(pageId: PageId, msLeft: number): void {
    const now = clock.now();
    for (const [other, until] of fullUntil) if (until <= now) fullUntil.delete(other);
    fullUntil.set(pageId, now + msLeft);
  }

  function schedule(): void {
    if (timer !== undefined || busySince !== undefined) return;
    if (waiting.length === 0) {
      closing?.resolve();
      return;
    }
    const waitMs = closing === undefined ? leftAt + paceMs - performance.now() : 0;
    timer = setTimeout(leave, Math.max(0, waitMs));
  }

  function leave(): void {
    timer = undefined;
    leftAt = performance.now();
    busySince = clock.now();
    const leaving = waiting;
    waiting = [];
    waitingPools = 0;
    waitingOfPages = new Map();
    void commitReports({ ...deps, delivery }, leaving).then(() => {
      busySince = undefined;
      schedule();
    });
  }

  return {
    /**
     * Resolves when the report is written down for good.
     *
     * @throws ServiceError 409 for a contradiction, 429 for what a session may not send in its hour, 503 when PostgreSQL
     *   does not answer or too much waits for ClickHouse: then it may be stored later, and a retry is told so.
     */
    async accept(pageId: PageId, report: CheckedPoolReport): Promise<Accepted> {
      const full = findFull(pageId);
      if (full !== undefined) return full;
      admit(pageId, report.pools.length);
      const outcome = deferred<Accepted>();
      waiting.push({ incoming: toIncoming(pageId, report, clock.now()), outcome });
      schedule();
      const accepted = await outcome.promise;
      if (accepted.duplicate === undefined) noteFull(pageId, accepted.usage.msLeft);
      return accepted;
    },

    /** Resolves when reads have what was acknowledged by now, or after that time. */
    delivered: delivery.delivered,

    /** Writes down what waits and refuses the rest; resolves when ClickHouse has it, or does not take it. */
    async close(): Promise<void> {
      closing ??= deferred<void>();
      clearTimeout(timer);
      timer = undefined;
      schedule();
      await closing.promise;
      await delivery.close();
    },
  };
}
