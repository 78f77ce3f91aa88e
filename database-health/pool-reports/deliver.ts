import { setTimeout as sleep } from 'node:timers/promises';
import { type Deferred, deferred } from '../../lib/deferred.js';
import { type BlockId, newId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { OpenBlock } from './record-reports.js';
import {
  type BlockDeps,
  forgetBlock,
  isOfBlock,
  type SealedBlock,
  sealBlock,
  storeBlock,
} from './store-block.js';

export type DeliveryMetrics = {
  blockStored(seconds: number): void;
  insertFailed(): void;
};

export type PoolDelivery = ReturnType<typeof createPoolDelivery>;

/** Two blocks a second: each makes a part in four tables, and 47 ms of work on two cores however small it is. */
const paceMs = 500;
/** Rows of one insert, a row for each report and each pool; more go to the next block. */
const rowsOfBlockMax = 10_000;
/** Of all that waits in PostgreSQL, deflated: a report of four pools has 100 bytes among 17 like it, 500 alone. */
const waitingBytesMax = 64 * 1024 * 1024;
/** Of blocks. Those of a ClickHouse that is away grow, those that it refuses do not; it remembers ten thousand. */
const waitingBlocksMax = 2_000;
const retryMs = { first: 100, max: 2_000 };
/** A server that answers may refuse one block alone: after so many attempts the next one has its turn. */
const refusalsMax = 5;

/**
 * Brings to ClickHouse what this instance wrote down in PostgreSQL. Reports are added to one block while another one
 * is under way; while ClickHouse is away blocks wait in PostgreSQL. What fails here for good is left to the job that
 * recovers blocks.
 */
export function createPoolDelivery(deps: BlockDeps & { log: Log; metrics: DeliveryMetrics }) {
  const { clock, log, metrics } = deps;
  /** Blocks that are in PostgreSQL, the oldest first; of each there is an id, and their bytes are bounded. */
  const written = new Set<BlockId>();
  let open: (OpenBlock & { rows: number }) | undefined;
  let isFull = false;
  let leftAt = Number.NEGATIVE_INFINITY;
  let current: Deferred<void> | undefined;
  let next: Deferred<void> | undefined;
  let ended: Promise<void> | undefined;
  let hurry = new AbortController();
  const closing = new AbortController();

  async function deliverAll(): Promise<void> {
    while (next !== undefined || (isFull && !closing.signal.aborted)) {
      // Nothing is written while all is full, so nothing but time wakes it then.
      if (next === undefined) await pause(retryMs.max, closing);
      else await pause(leftAt + paceMs - performance.now(), hurry);
      if (!closing.signal.aborted) hurry = new AbortController();
      leftAt = performance.now();
      [current, next] = [next, undefined];
      for (const id of [...written]) if (written.has(id)) await deliverBlock(id);
      isFull = isFull && (await hasTooMuch());
      current?.resolve();
      current = undefined;
    }
    ended = undefined;
  }

  /** A turn at least, and that time unless it is cut short. */
  async function pause(ms: number, { signal }: AbortController): Promise<void> {
    await sleep(Math.max(0, ms), undefined, { signal }).catch(() => {});
  }

  /** What cannot be delivered here is left to the job. */
  async function deliverBlock(id: BlockId): Promise<void> {
    if (open?.id === id) open = undefined;
    written.delete(id);
    try {
      const block = await sealBlock(deps, id);
      if (block === undefined) return;
      await storeRepeatedly(block);
      await forgetBlock(deps, id);
    } catch (error) {
      log.warn({ blockId: id, error: String(error) }, 'A block of pool reports waits in PostgreSQL.');
      // Each one behind it would take seconds to fail when a store is away.
      if (closing.signal.aborted && !isOfBlock(error)) written.clear();
    }
    // More than the open one: ClickHouse may be so slow that they become ever more, without any failure.
    isFull = (isFull || written.size > 1) && (await hasTooMuch());
  }

  /**
   * Repeated unchanged under one id: an attempt whose answer was lost may have stored it, in all tables or in some.
   *
   * @throws when ClickHouse refuses it again and again, or when it closes.
   */
  async function storeRepeatedly(block: SealedBlock): Promise<void> {
    const startedAt = performance.now();
    let refusals = 0;
    for (let pauseMs = retryMs.first; ; pauseMs = Math.min(2 * pauseMs, retryMs.max)) {
      try {
        await storeBlock(deps, block);
        metrics.blockStored((performance.now() - startedAt) / 1000);
        return;
      } catch (error) {
        metrics.insertFailed();
        if (isOfBlock(error)) refusals += 1;
        if (closing.signal.aborted || refusals === refusalsMax) throw error;
        isFull = await hasTooMuch();
        await pause(pauseMs, closing);
      }
    }
  }

  /** As it was, when PostgreSQL does not say: while it is away nothing is accepted. */
  async function hasTooMuch(): Promise<boolean> {
    const { sql } = deps;
    try {
      const [waiting] = await withQueryTimeout(
        sql<{ bytes: bigint; blocks: bigint }[]>`
          select coalesce(sum(octet_length(body)), 0)::bigint as bytes, count(distinct block_id) as blocks
          from pool_block_parts`,
      );
      return Number(waiting?.bytes) > waitingBytesMax || Number(waiting?.blocks) > waitingBlocksMax;
    } catch {
      return isFull;
    }
  }

  return {
    /** Whether so much waits that nothing may be added to it. */
    get isFull() {
      return isFull;
    },

    /** The block that reports are to be added to. */
    openBlock(): OpenBlock {
      open ??= { id: newId<BlockId>(clock.now()), isNew: true, rows: 0 };
      return open;
    },

    /** Reports are in PostgreSQL, as part of that block, and go to ClickHouse from now on. */
    noteWritten({ id }: OpenBlock, rows: number): void {
      written.add(id);
      if (open?.id === id) {
        open.isNew = false;
        open.rows += rows;
        if (open.rows >= rowsOfBlockMax) open = undefined;
      }
      next ??= deferred<void>();
      ended ??= deliverAll();
    },

    /** Nobody knows whether the block is in PostgreSQL, or it is closed: others get what comes next. */
    leave({ id }: OpenBlock): void {
      if (open?.id === id) open = undefined;
    },

    /**
     * Resolves when ClickHouse has what was written by now, or was tried and failed; at the latest after that time.
     * What waits for its pace leaves at once.
     */
    async delivered(msMax: number): Promise<void> {
      const awaited = (next ?? current)?.promise;
      if (awaited === undefined) return;
      hurry.abort();
      const timeout = new AbortController();
      await Promise.race([awaited, sleep(msMax, undefined, { signal: timeout.signal }).catch(() => {})]);
      timeout.abort();
    },

    /** Tries once more what waits, until a store is away, and leaves the rest to the job. Nothing may be written after it. */
    async close(): Promise<void> {
      closing.abort();
      hurry.abort();
      await ended;
    },
  };
}
