import { type BlockId, newId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { type Closing, createOutbox } from '../../lib/outbox/outbox.js';
import { retry } from '../../lib/outbox/retry.js';
import { endsWithin } from '../../lib/timeout.js';
import {
  type BlockDeps,
  forgetBlock,
  insertBlock,
  isOfBlock,
  type SealedBlock,
  sealBlock,
} from './blocks.js';
import type { OpenBlock } from './record-reports.js';
import { createRoom } from './room.js';

export type DeliveryMetrics = {
  blockStored(seconds: number): void;
  insertFailed(): void;
};

/** Rows of one insert, a row for each report and each pool. More go to the next block. */
const rowsOfBlockMax = 10_000;
/** Times of the delivery of blocks, in milliseconds. */
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
  const { sql, clock, log, deliveryPace = paceUsual } = deps;
  const { paceMs, fullCheckMs, backOff } = deliveryPace;
  let open: (OpenBlock & { rows: number }) | undefined;
  let isGivenUp = false;
  const room = createRoom({ sql, fullCheckMs });
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
      if (room.isFull || isSlow) await room.look();
    }
    room.awaitRoom(closing.signal);
  }

  async function deliverBlock(id: BlockId, closing: Closing): Promise<void> {
    if (open?.id === id) open = undefined;
    try {
      const block = await sealBlock(deps, id);
      if (block === undefined) return;
      await insertRepeatedly(block, { ...deps, backOff, closing, look: room.look });
      await forgetBlock(deps, id);
    } catch (error) {
      log.warn({ blockId: id, error: String(error) }, 'A block of pool reports waits in PostgreSQL.');
      // While a store is unavailable, each of the others would take seconds to fail.
      isGivenUp = closing.signal.aborted && !isOfBlock(error);
    }
  }

  return {
    /** Whether so much waits that nothing may be added. */
    get isFull() {
      return room.isFull;
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
      await room.awaited;
    },
  };
}

type Repetition = BlockDeps & {
  metrics: DeliveryMetrics;
  backOff: DeliveryPace['backOff'];
  closing: Closing;
  /** Called after each failure, because blocks grow meanwhile. */
  look(): Promise<void>;
};

/**
 * Repeats the insert unchanged under one id: an attempt whose answer was lost may have stored the block, in all tables or
 * in some.
 *
 * @throws the last error, when ClickHouse refuses the block again and again, or when the delivery closes.
 */
async function insertRepeatedly(block: SealedBlock, deps: Repetition): Promise<void> {
  const { metrics, backOff, closing } = deps;
  const startedAt = performance.now();
  let refusals = 0;
  let failure: unknown;
  const attempt = async (): Promise<true | undefined> => {
    try {
      await insertBlock(deps, block);
      return true;
    } catch (error) {
      failure = error;
      metrics.insertFailed();
      if (isOfBlock(error)) refusals += 1;
      if (refusals === refusalsMax) throw error;
      if (!closing.signal.aborted) await deps.look();
      return undefined;
    }
  };
  const stored = await retry(attempt, { backOff, closing, giveUpAfterCloseMs: 0 });
  if (stored === undefined) throw failure;
  metrics.blockStored((performance.now() - startedAt) / 1000);
}
