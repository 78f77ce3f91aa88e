import { poolReportLimits } from '../../contract/pool-reports.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError } from '../../lib/service-error.js';
import { createUsedUp } from '../../lib/window-counter.js';
import { windowMs } from '../../sql/count-in-window.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { createPoolDelivery, type DeliveryMetrics, type DeliveryPace } from './deliver.js';
import type { PageUsage } from './load-held.js';
import type { CheckedPoolReport } from './parse-pool-report.js';
import { BlockSealed, type Decision, isNew, recordReports } from './record-reports.js';
import { type IncomingReport, toIncoming } from './stored-reports.js';

export const poolReportOutcomes = ['stored', 'duplicate', 'refused', 'failed'] as const;

export type PoolReportMetrics = DeliveryMetrics & {
  /** Counts a report by its outcome. */
  decided(outcome: (typeof poolReportOutcomes)[number]): void;
};

/** `duplicate` is `undefined` when the page has sent more than it may: nothing was written then. */
export type Accepted = { usage: PageUsage; duplicate: boolean | undefined };

export type PoolReports = ReturnType<typeof createPoolReports>;

type Size = { reports: number; pools: number };
/** The reports of the next transaction, and how many of them there are for each page. */
type Waiting = Size & { incoming: IncomingReport[]; ofPages: Map<PageId, Size> };

/** Reports that wait for the next transaction. More are refused with `storeBusy`. */
const waitingMax: Size = { reports: 2_000, pools: 8_000 };
/** Reports of one page among them, so that it leaves room for the others. */
const waitingOfPageMax: Size = { reports: 1_024, pools: 4_096 };
/** Twenty transactions a second at most; a report waits for half of that time on average. */
const paceMs = 50;
/** A transaction that takes longer means that PostgreSQL hangs. New reports are refused until it ends. */
const stalledAfterMs = 3_000;
/** Limit of a transaction: the driver has no timeout of its own for a server that is silent. */
const recordMsMax = 5_000;
/** Pages in memory that have used up their minute; one that falls out costs a place in the next transaction. */
const fullPagesMax = 10_000;

/**
 * Accepts pool reports that have passed the contract. One transaction at a time decides about each of its reports and
 * writes down all that ClickHouse is to get; what arrives meanwhile forms the next transaction. A report is
 * acknowledged when PostgreSQL has it; ClickHouse follows.
 */
export function createPoolReports(deps: {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  metrics: PoolReportMetrics;
  /** Pauses between deliveries; the pace of the service when absent. */
  deliveryPace?: DeliveryPace;
}) {
  const { sql, clock, log, metrics } = deps;
  const delivery = createPoolDelivery(deps);
  // An instance whose clock is ahead begins windows that end up to two minutes from now.
  const usedUp = createUsedUp<PageId>({ clock, msMax: 2 * windowMs, keysMax: fullPagesMax });
  const outbox = createOutbox<Waiting, Decision[]>({
    makeBlock: () => ({ incoming: [], reports: 0, pools: 0, ofPages: new Map() }),
    commit: ({ incoming }) => record(incoming),
    paceMs: () => paceMs,
    burst: 1,
    stalledAfterMs,
    hasRoomBehind: () => !delivery.isFull,
  });

  /** Writes reports down in PostgreSQL. Returns a decision for each of them. */
  async function record(reports: readonly IncomingReport[]): Promise<Decision[]> {
    try {
      return await recordInOpenBlock(reports);
    } catch (error) {
      log.warn({ error: String(error), reports: reports.length }, 'Pool reports were not acknowledged.');
      throw new ServiceError('storeUnavailable', { retryAfterSeconds: 5 });
    }
  }

  async function recordInOpenBlock(reports: readonly IncomingReport[]): Promise<Decision[]> {
    for (;;) {
      const block = delivery.openBlock();
      try {
        const recording = { block: { ...block }, reports, now: clock.now() };
        const decisions = await withQueryTimeout(recordReports(sql, recording), recordMsMax);
        const fresh = reports.filter((_, i) => isNew(decisions[i]?.verdict));
        const rows = fresh.reduce((sum, { pools }) => sum + 1 + pools.length, 0);
        if (rows > 0) delivery.noteWritten(block, rows);
        return decisions;
      } catch (error) {
        delivery.leave(block);
        // The next block is new, so this happens once.
        if (!(error instanceof BlockSealed)) throw error;
      }
    }
  }

  /** Waits for the decision about the report at `position` of its transaction. */
  async function awaitDecision(outcome: Promise<Decision[]>, position: number): Promise<Accepted> {
    const decisions = await outcome.catch((error: unknown) => {
      metrics.decided('failed');
      throw error;
    });
    const decision = decisions[position];
    if (decision === undefined) throw new Error('A report has no decision.');
    const { usage, verdict } = decision;
    if (verdict?.is === 'refused') {
      metrics.decided('refused');
      throw verdict.error;
    }
    const duplicate = verdict?.duplicate;
    metrics.decided(duplicate === undefined ? 'refused' : duplicate ? 'duplicate' : 'stored');
    return { usage, duplicate };
  }

  return {
    /**
     * Resolves when the report is durable.
     *
     * @throws ServiceError `conflict` for a contradiction; `rateLimited` for more than a session may send in its hour;
     *   `storeBusy` when too much waits; `storeUnavailable` when PostgreSQL does not answer: the report may be stored
     *   then, and a retry is answered as a duplicate.
     */
    async accept(pageId: PageId, report: CheckedPoolReport): Promise<Accepted> {
      const msLeft = usedUp.msLeft(pageId);
      if (msLeft !== undefined) {
        const requests = poolReportLimits.requestsPerPageAndMinute + 1;
        return { usage: { requests, msLeft }, duplicate: undefined };
      }
      const pools = report.pools.length;
      const { block, outcome } = outbox.join((waiting) => fits(waiting, pageId, pools));
      const position = block.incoming.push(toIncoming(pageId, report, clock.now())) - 1;
      count(block, pageId, pools);
      const accepted = await awaitDecision(outcome, position);
      if (accepted.duplicate === undefined) usedUp.note(pageId, accepted.usage.msLeft);
      return accepted;
    },

    /** Resolves when reads have what was acknowledged by now, or after that time in milliseconds. */
    delivered: delivery.delivered,

    /** Writes down what waits and refuses the rest; resolves when ClickHouse has it, or does not take it. */
    async close(): Promise<void> {
      await outbox.close();
      await delivery.close();
    },
  };
}

const none: Size = { reports: 0, pools: 0 };

/** Whether one more report of the page, of that many pools, may wait. */
function fits(waiting: Waiting, pageId: PageId, pools: number): boolean {
  const ofPage = waiting.ofPages.get(pageId) ?? none;
  return hasRoom(waiting, pools, waitingMax) && hasRoom(ofPage, pools, waitingOfPageMax);
}

function hasRoom(size: Size, pools: number, max: Size): boolean {
  return size.reports < max.reports && size.pools + pools <= max.pools;
}

function count(waiting: Waiting, pageId: PageId, pools: number): void {
  const ofPage = waiting.ofPages.get(pageId) ?? none;
  waiting.ofPages.set(pageId, { reports: ofPage.reports + 1, pools: ofPage.pools + pools });
  waiting.reports += 1;
  waiting.pools += pools;
}
