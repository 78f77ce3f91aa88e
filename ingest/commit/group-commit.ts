import { randomUUID } from 'node:crypto';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Source } from '../names/names.js';
import type { Batch } from '../read/batch.js';
import { Block, rowsMax } from './collapse.js';
import { encodeBlock } from './encode-block.js';
import { type BlockBuffer, type BlockStore, type StoredIn, storeBlock } from './store-block.js';

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
/** While blocks go to the buffer, which keeps a bounded number of them, they are fewer and larger. */
const paceMsBehind = 1_000;
/** A block in flight for longer means that store and buffer hang: new batches are refused until it is through. */
const stalledAfterMs = 10_000;

type Pending = { block: Block; outcome: Deferred<StoredIn> };

/** `rows` is what the batch collapsed into. */
export type Committed = { rows: number; storedIn: StoredIn };

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/**
 * One insert in flight; all that arrives meanwhile forms the next block, in which equal rows of different
 * batches are one. Whoever added to a block waits for its outcome, and gets it only when the store has said it.
 */
export function createGroupCommit(deps: {
  store: BlockStore;
  buffer: BlockBuffer;
  log: Log;
  metrics: CommitMetrics;
}) {
  const { store, buffer, log, metrics } = deps;
  const { insertFailed } = metrics;
  const spare: Block[] = [];
  let pending: Pending | undefined;
  // Times as of performance.now(): the clock may be put back or forward by any length.
  let inFlightSince: number | undefined;
  let timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  let credit = burst;
  let creditAt = performance.now();
  let closedAt: number | undefined;
  let drained: Deferred<void> | undefined;

  function open(): Pending {
    if (pending === undefined) {
      const outcome = deferred<StoredIn>();
      outcome.promise.catch(() => {}); // Every sender waits for it; but with nobody left it may not crash the process.
      pending = { block: spare.pop() ?? new Block(), outcome };
    }
    return pending;
  }

  function admit(events: number): void {
    if (closedAt !== undefined) throw new ServiceError('shuttingDown', { retryAfterSeconds: 1 });
    const stalled = inFlightSince !== undefined && performance.now() - inFlightSince > stalledAfterMs;
    const block = pending?.block;
    const full =
      block !== undefined &&
      (block.rows + events >= bounds.rows ||
        block.events + events > bounds.events ||
        block.batches >= bounds.batches);
    if (stalled || full) throw new ServiceError('storeBusy', { retryAfterSeconds: stalled ? 5 : 1 });
  }

  /** Time until the pace lets another block leave, in milliseconds; takes its credit when that is now. */
  function takeCredit(): number {
    const now = performance.now();
    const pace = buffer.behind ? paceMsBehind : paceMs;
    credit = Math.min(burst, credit + Math.max(0, now - creditAt) / pace);
    creditAt = now;
    if (credit >= 1) {
      credit -= 1;
      return 0;
    }
    return Math.ceil((1 - credit) * pace);
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
    inFlightSince = performance.now();
    void commit(leaving);
  }

  async function commit({ block, outcome }: Pending): Promise<void> {
    const { rows, events } = block;
    try {
      const encoded = { token: randomUUID(), bytes: encodeBlock(block), rows, events };
      const startedAt = performance.now();
      const storedIn = await storeBlock(
        { store, buffer, log, insertFailed, closedAt: () => closedAt },
        encoded,
      );
      if (storedIn === 'store')
        metrics.inserted({ rows, events, seconds: (performance.now() - startedAt) / 1000 });
      outcome.resolve(storedIn);
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

  return {
    /**
     * Adds a batch whose names are all registered, and what called. Resolves when the store has them, or the
     * buffer.
     *
     * @throws ServiceError 503 when the block is full or nothing takes it, and nothing was stored; also when neither
     *   could be reached for too long, and then it may have been stored if only the answers were lost.
     */
    async add(batch: Batch, callers: Iterable<Source>, arrival: number): Promise<Committed> {
      admit(batch.length);
      const { block, outcome } = open();
      const rows = block.add(batch);
      for (const caller of callers) block.addReport(caller, arrival);
      schedule();
      return { rows, storedIn: await outcome.promise };
    },

    /** Sends what waits and refuses the rest; resolves when nothing waits any more. */
    async close(): Promise<void> {
      closedAt ??= performance.now();
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
