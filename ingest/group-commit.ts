import { randomUUID } from 'node:crypto';
import type { Clock } from '../contract/clock.js';
import { type Deferred, deferred } from '../contract/deferred.js';
import { ApiError } from '../contract/errors.js';
import type { Log } from '../contract/log.js';
import type { Batch } from './batch.js';
import { Block, rowsMax } from './collapse.js';
import { encodeBlock } from './encode-block.js';
import type { Source } from './names.js';

/** Where blocks go. The same bytes under the same token count once, however often they are inserted. */
export type BlockStore = { insert(bytes: Buffer, token: string): Promise<void> };

export type CommitMetrics = {
  inserted(block: { rows: number; events: number; seconds: number }): void;
  insertFailed(): void;
};

/** Bounds of the block that waits; a batch that would cross one is refused with 503. */
const bounds = { rows: rowsMax - 2_000, events: 500_000, batches: 20_000 };
/**
 * Every insert makes a part in six tables, and merging parts is what wears a ClickHouse server out. Under
 * sustained load blocks leave ten times a second; after a pause up to `burst` leave without waiting.
 */
const paceMs = 100;
const burst = 10;
/** A block in flight for longer means that the store hangs: new batches are refused until it is through. */
const stalledAfterMs = 5_000;
/** How long a block is retried before those who wait for it are told that it could not be stored. */
const giveUpAfterMs = 45_000;
const giveUpAfterCloseMs = 10_000;
const retryMs = { first: 100, max: 2_000 };

type Pending = { block: Block; outcome: Deferred<void> };

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/**
 * One insert in flight; all that arrives meanwhile forms the next block, in which equal rows of different
 * batches are one. Whoever added to a block waits for its outcome, and gets it only when the store has said it.
 */
export function createGroupCommit(deps: {
  store: BlockStore;
  clock: Clock;
  log: Log;
  metrics: CommitMetrics;
}) {
  const { store, clock, log, metrics } = deps;
  const spare: Block[] = [];
  let pending: Pending | undefined;
  let inFlightSince: number | undefined;
  let timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  let credit = burst;
  let creditAt = clock.now();
  let closedAt: number | undefined;
  let drained: Deferred<void> | undefined;

  function open(): Pending {
    if (pending === undefined) {
      const outcome = deferred<void>();
      outcome.promise.catch(() => {}); // Every sender waits for it; but with nobody left it may not crash the process.
      pending = { block: spare.pop() ?? new Block(), outcome };
    }
    return pending;
  }

  function admit(events: number): void {
    if (closedAt !== undefined) throw new ApiError('shuttingDown', undefined, { 'retry-after': '1' });
    const stalled = inFlightSince !== undefined && clock.now() - inFlightSince > stalledAfterMs;
    const block = pending?.block;
    const full =
      block !== undefined &&
      (block.rows + events >= bounds.rows ||
        block.events + events > bounds.events ||
        block.batches >= bounds.batches);
    if (stalled || full) throw new ApiError('storeBusy', undefined, { 'retry-after': stalled ? '5' : '1' });
  }

  /** Time until the pace lets another block leave, in milliseconds; takes its credit when that is now. */
  function takeCredit(): number {
    const now = clock.now();
    credit = Math.min(burst, credit + Math.max(0, now - creditAt) / paceMs);
    creditAt = now;
    if (credit >= 1) {
      credit -= 1;
      return 0;
    }
    return Math.ceil((1 - credit) * paceMs);
  }

  function schedule(): void {
    if (pending === undefined || inFlightSince !== undefined || timer !== undefined) return;
    const waitMs = closedAt !== undefined ? 0 : takeCredit();
    if (waitMs > 0) timer = setTimeout(rescheduled, waitMs);
    // Not at once: requests that are already read join the block first.
    else timer = setImmediate(leave);
  }

  function rescheduled(): void {
    timer = undefined;
    schedule();
  }

  function leave(): void {
    timer = undefined;
    if (pending === undefined) return;
    const leaving = pending;
    pending = undefined;
    inFlightSince = clock.now();
    void commit(leaving);
  }

  async function commit({ block, outcome }: Pending): Promise<void> {
    try {
      const bytes = encodeBlock(block);
      const startedAt = clock.now();
      await insertUntilStored(bytes);
      metrics.inserted({ rows: block.rows, events: block.events, seconds: (clock.now() - startedAt) / 1000 });
      outcome.resolve();
    } catch (error) {
      outcome.reject(error);
    } finally {
      block.clear();
      spare.push(block);
      inFlightSince = undefined;
      schedule();
      if (pending === undefined) drained?.resolve();
    }
  }

  /** Retried unchanged under one token: an attempt whose answer was lost may have been stored. */
  async function insertUntilStored(bytes: Buffer): Promise<void> {
    const token = randomUUID();
    const startedAt = clock.now();
    for (let pauseMs = retryMs.first; ; pauseMs = Math.min(2 * pauseMs, retryMs.max)) {
      try {
        await store.insert(bytes, token);
        return;
      } catch (error) {
        metrics.insertFailed();
        const deadline = Math.min(startedAt + giveUpAfterMs, (closedAt ?? Infinity) + giveUpAfterCloseMs);
        const retry = clock.now() + pauseMs < deadline;
        log.warn({ error: String(error), token, bytes: bytes.length, retry }, 'A block could not be stored.');
        if (!retry) throw new ApiError('storeUnavailable', undefined, { 'retry-after': '5' });
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  return {
    /**
     * Adds a batch whose names are all registered, and what called. Resolves, when the store has them, to the
     * number of rows the batch collapsed into.
     *
     * @throws ApiError 503 when the block is full or the store hangs, and nothing was stored; also when the store
     *   could not be reached for too long, and then it may have been stored if only the answers were lost.
     */
    async add(batch: Batch, callers: Iterable<Source>, arrival: number): Promise<number> {
      admit(batch.length);
      const { block, outcome } = open();
      const rows = block.add(batch);
      for (const caller of callers) block.addReport(caller, arrival);
      schedule();
      await outcome.promise;
      return rows;
    },

    /** Sends what waits and refuses the rest; resolves when nothing waits any more. */
    async close(): Promise<void> {
      closedAt ??= clock.now();
      if (pending === undefined && inFlightSince === undefined) return;
      drained ??= deferred<void>();
      if (inFlightSince === undefined) {
        clearTimeout(timer as NodeJS.Timeout | undefined);
        leave();
      }
      await drained.promise;
    },

    /** Events that wait for their block to leave, for the metrics. */
    get waitingEvents(): number {
      return pending?.block.events ?? 0;
    },
  };
}
