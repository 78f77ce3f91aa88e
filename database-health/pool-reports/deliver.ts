import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockId, newId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { type Closing, createOutbox } from '../../lib/outbox/outbox.js';
import { retry } from '../../lib/outbox/retry.js';
import { endsWithin } from '../../lib/timeout.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { type BlockDeps, forgetBlock, isOfBlock, type SealedBlock, sealBlock, storeBlock } from './blocks.js';
import type { OpenBlock } from './record-reports.js';

export type DeliveryMetrics = {
  blockStored(seconds: number): void;
  insertFailed(): void;
};

/** Rows of one insert, a row for each report and each pool. More go to the next block. */
const rowsOfBlockMax = 10_000;
/**
 * Bytes of all that waits in PostgreSQL, deflated: a report of four pools has 100 bytes among 17 like it, 500 alone.
 */
const waitingBytesMax = 64 * 1024 * 1024;
/**
 * Blocks that wait. While ClickHouse is unavailable blocks grow; refused blocks become more, and ClickHouse remembers
 * the ids of ten thousand.
 */
const waitingBlocksMax = 2_000;
/** When blocks are delivered, in milliseconds. */
export type DeliveryPace = {
  /** Least time from one delivery to the next. */
  paceMs: number;
  /** A full buffer is looked at again after this time. */
  fullCheckMs: number;
  /** Pauses before a block is tried again. */
  backOff: { firstMs: number; maxMs: number };
};

/** Two blocks a second: each makes a part in four tables, and 47 ms of work on two cores however small it is. */
const paceUsual: DeliveryPace = { paceMs: 500, fullCheckMs: 2_000, backOff: { firstMs: 100, maxMs: 2_000 } };
/** A server that answers may refuse one block alone. After this many attempts the next block has its turn. */
const refusalsMax = 5;

/**
 * Brings to ClickHouse what this instance wrote down in PostgreSQL. Reports are added to one block while others are on
 * their way; while ClickHouse is unavailable, blocks wait in PostgreSQL. Blocks that fail here for good are left to the
 * job that recovers them.
 */
export function createPoolDelivery(
  deps: BlockDeps & { log: Log; metrics: DeliveryMetrics; deliveryPace?: DeliveryPace },
) {
  const { sql, clock, log, metrics, deliveryPace = paceUsual } = deps;
  const { paceMs, fullCheckMs, backOff } = deliveryPace;
  let open: (OpenBlock & { rows: number }) | undefined;
  let isFull = false;
  let isGivenUp = false;
  let roomAwaited: Promise<void> | undefined;
  // Only ids wait here, the oldest first: the blocks are in PostgreSQL, where their bytes are bounded.
  const outbox = createOutbox<Set<BlockId>, void>({
    makeBlock: () => new Set(),
    commit: deliverBlocks,
    paceMs: () => paceMs,
    burst: 1,
    stalledAfterMs: Number.POSITIVE_INFINITY,
  });

  async function deliverBlocks(ids: Set<BlockId>, closing: Closing): Promise<void> {
    for (const id of ids) {
      if (isGivenUp) return;
      ids.delete(id);
      outbox.waiting?.delete(id);
      await deliverBlock(id, closing);
      // More than the open block: ClickHouse may be so slow that they become ever more, without any failure.
      const isSlow = ids.size + (outbox.waiting?.size ?? 0) > 1;
      isFull = (isFull || isSlow) && (await hasTooMuch());
    }
    if (isFull) roomAwaited ??= awaitRoom(closing);
  }

  /** Nothing is written while there is no room, so only time can tell when there is some again. */
  async function awaitRoom({ signal }: Closing): Promise<void> {
    while (isFull && !signal.aborted) {
      await sleep(fullCheckMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) isFull = await hasTooMuch();
    }
    roomAwaited = undefined;
  }

  async function deliverBlock(id: BlockId, closing: Closing): Promise<void> {
    if (open?.id === id) open = undefined;
    try {
      const block = await sealBlock(deps, id);
      if (block === undefined) return;
      await storeRepeatedly(block, closing);
      await forgetBlock(deps, id);
    } catch (error) {
      log.warn({ blockId: id, error: String(error) }, 'A block of pool reports waits in PostgreSQL.');
      // While a store is unavailable, each of the others would take seconds to fail.
      isGivenUp = closing.signal.aborted && !isOfBlock(error);
    }
  }

  /**
   * Repeats the insert unchanged under one id: an attempt whose answer was lost may have stored the block, in all
   * tables or in some.
   *
   * @throws the last error, when ClickHouse refuses the block again and again, or when the delivery closes.
   */
  async function storeRepeatedly(block: SealedBlock, closing: Closing): Promise<void> {
    const startedAt = performance.now();
    let refusals = 0;
    let failure: unknown;
    const attempt = async (): Promise<true | undefined> => {
      try {
        await storeBlock(deps, block);
        return true;
      } catch (error) {
        failure = error;
        metrics.insertFailed();
        if (isOfBlock(error)) refusals += 1;
        if (refusals === refusalsMax) throw error;
        if (!closing.signal.aborted) isFull = await hasTooMuch();
        return undefined;
      }
    };
    const stored = await retry(attempt, { backOff, closing, giveUpAfterCloseMs: 0 });
    if (stored === undefined) throw failure;
    metrics.blockStored((performance.now() - startedAt) / 1000);
  }

  /** Keeps the last answer when PostgreSQL gives none: while it is unavailable, nothing is accepted. */
  async function hasTooMuch(): Promise<boolean> {
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
    /** Whether so much waits that nothing may be added. */
    get isFull() {
      return isFull;
    },

    /** Returns the block for new reports. */
    openBlock(): OpenBlock {
      open ??= { id: newId<BlockId>(clock.now()), isNew: true, rows: 0 };
      return open;
    },

    /** Notes that reports are in PostgreSQL as part of the block; they go to ClickHouse from now on. */
    noteWritten({ id }: OpenBlock, rows: number): void {
      outbox.join(() => true).block.add(id);
      if (open?.id !== id) return;
      open.isNew = false;
      open.rows += rows;
      if (open.rows >= rowsOfBlockMax) open = undefined;
    },

    /** Adds nothing more to the block: it is sealed, or may be missing in PostgreSQL. */
    leave({ id }: OpenBlock): void {
      if (open?.id === id) open = undefined;
    },

    /**
     * Resolves when ClickHouse has what was written by now, or an attempt has failed; at the latest after `waitMs`
     * milliseconds. What waits for its pace leaves at once.
     */
    async delivered(waitMs: number): Promise<void> {
      await endsWithin(outbox.flush(), waitMs);
    },

    /**
     * Tries once more what waits, until a store is unavailable, and leaves the rest to the job. Nothing may be written
     * afterwards.
     */
    async close(): Promise<void> {
      await outbox.close();
      await roomAwaited;
    },
  };
}
