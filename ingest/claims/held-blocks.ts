import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { endsWithin } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';
import { Block, eventsMax, rowsMax } from '../commit/collapse.js';
import type { CommitMetrics } from '../commit/commit.js';
import { encodeBlock } from '../commit/encode-block.js';
import {
  type BlockStore,
  type EncodedBlock,
  type HoldingBuffer,
  insertWithin,
} from '../commit/store-block.js';

type Deps = { store: BlockStore; buffer: HoldingBuffer; log: Log; metrics: CommitMetrics };

/** A batch that was written. `arrival` is in milliseconds since the epoch. */
type Written = { pageId: PageId; arrival: number };

/** A block that takes writes until it is sealed, and then goes to its store. The buffer has each write as a part. */
export type HeldBlock = {
  readonly token: string;
  /** What its writes have collapsed into. */
  readonly block: Block;
  /** Parts that the buffer has, and their bytes. */
  parts: number;
  bytes: number;
  isWriting: boolean;
  isSealed: boolean;
  /** Whether a write failed, which the buffer may have all the same. */
  isInDoubt: boolean;
  /** When the first event of each page arrived. */
  readonly oldestOf: Map<PageId, number>;
  /** Resolves when the block is with the store, or left to the delivery. */
  readonly ended: Deferred<void>;
};

/** An insert costs ClickHouse 30 to 45 ms of processor time whatever its size, so a block takes what comes in a second. */
const sealAfterMs = secondMs;
/** As those of a segment of the log. The buffer returns the parts of a block as one value. */
const sealBounds = { bytes: 16 * 1024 * 1024, rows: 24_000 };
/** Reads seal blocks ten times a second at most. */
const sealPauseMs = 100;
/** Blocks in memory. While there are so many, the store is too slow, and writes wait in the buffer instead. */
const blocksMax = 4;
/** Together with the wait for the blocks before it well within the 30 s for which the buffer holds a block. */
const attemptMsMax = 4_500;
/** A read waits this long for what was acknowledged before it. */
const settleMsMax = 2 * secondMs;
/** What is left after this long at a stop is left to the delivery. */
const closeMsMax = 2 * secondMs;

/**
 * Merges writes that the buffer has into blocks of about a second, and brings these to their store, one after another,
 * each in one attempt. A block that the store does not take is left to the delivery of the buffer, as is one whose
 * process ends. Either way it goes under its token, and the store counts it once.
 */
export function createHeldBlocks({ store, buffer, log, metrics }: Deps) {
  const held = new Set<HeldBlock>();
  const stopping = new AbortController();
  let current: HeldBlock | undefined;
  let sealTimer: NodeJS.Timeout | undefined;
  let sealedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();

  function open(): HeldBlock {
    const opened: HeldBlock = {
      ...{ token: randomUUID(), block: new Block(), parts: 0, bytes: 0 },
      ...{
        isWriting: false,
        isSealed: false,
        isInDoubt: false,
        oldestOf: new Map(),
        ended: deferred<void>(),
      },
    };
    held.add(opened);
    sealTimer = setTimeout(() => seal(opened), sealAfterMs);
    return opened;
  }

  /** Lets no further write join the block, which leaves when the one that has joined ends. */
  function seal(block: HeldBlock): void {
    if (block !== current) return;
    clearTimeout(sealTimer);
    current = undefined;
    sealedAt = performance.now();
    block.isSealed = true;
    if (!block.isWriting) leave(block);
  }

  function leave(block: HeldBlock): void {
    last = last
      .then(() => deliver(block))
      .finally(() => {
        held.delete(block);
        block.ended.resolve();
      });
  }

  async function deliver({ token, block, parts, isInDoubt }: HeldBlock): Promise<void> {
    if (parts === 0 && !isInDoubt) return;
    const { rows, events } = block;
    const isStored =
      !isInDoubt &&
      !stopping.signal.aborted &&
      (await insert({ token, bytes: encodeBlock(block), rows, events }));
    try {
      await (isStored ? buffer.remove(token) : buffer.release(token));
    } catch (error) {
      log.warn(
        { error: String(error), token, events },
        'What became of a block could not be noted in the delivery buffer. It is delivered again, and counts once.',
      );
    }
  }

  /** Returns whether the store has the block. */
  async function insert(block: EncodedBlock): Promise<boolean> {
    const { token, rows, events } = block;
    const startedAt = performance.now();
    try {
      await insertWithin(store, block, attemptMsMax, stopping.signal);
      metrics.inserted({ rows, events, seconds: (performance.now() - startedAt) / 1000 });
      return true;
    } catch (error) {
      metrics.insertFailed();
      log.warn(
        { error: String(error), token, events },
        'A block could not be stored; it waits in the delivery buffer.',
      );
      return false;
    }
  }

  /** Brings everything of the page that was acknowledged by now to the store. */
  async function bringToStore(pageId: PageId): Promise<void> {
    const mine = [...held].filter(({ oldestOf }) => oldestOf.has(pageId));
    const open = mine.find(({ isSealed }) => !isSealed);
    if (open !== undefined) {
      // A timer counts whole milliseconds and may fire up to one too early.
      await delay(Math.max(0, Math.ceil(sealedAt + sealPauseMs - performance.now()) + 1));
      seal(open);
    }
    await Promise.all(mine.map(({ ended }) => ended.promise));
  }

  return {
    /** Returns the block for a write of this size, one write at a time; call end() afterwards. `undefined` when the store is too slow. */
    join(write: Pick<Block, 'rows' | 'events'>): HeldBlock | undefined {
      if (current !== undefined && !fits(current.block, write)) seal(current);
      if (current === undefined && (held.size >= blocksMax || stopping.signal.aborted)) return undefined;
      current ??= open();
      current.isWriting = true;
      return current;
    },
    /**
     * Ends a write. `written` is what the buffer has of it; `undefined` when nobody knows whether it has it. A write
     * of nothing has no block.
     */
    end(
      to: HeldBlock,
      written: { block: Block | undefined; bytes: number; batches: readonly Written[] } | undefined,
    ): void {
      to.isWriting = false;
      if (written === undefined) to.isInDoubt = true;
      else if (written.block !== undefined) {
        to.parts += 1;
        to.bytes += written.bytes;
        to.block.addBlock(written.block);
        for (const { pageId, arrival } of written.batches) {
          to.oldestOf.set(pageId, Math.min(arrival, to.oldestOf.get(pageId) ?? arrival));
        }
      }
      if (to.isSealed) leave(to);
      else if (to.isInDoubt || isLarge(to)) seal(to);
    },
    /** As Commit.settle(). */
    async settle(pageId: PageId): Promise<number | undefined> {
      await endsWithin(bringToStore(pageId), settleMsMax);
      const times = [...held].flatMap(({ oldestOf }) => oldestOf.get(pageId) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** Sends what is there, and leaves what takes longer than 2 s to the delivery of the buffer. */
    async close(): Promise<void> {
      if (current !== undefined) seal(current);
      if (await endsWithin(last, closeMsMax)) return;
      stopping.abort(new Error('The service stops.'));
      await last;
    },
  };
}

function fits(block: Block, more: Pick<Block, 'rows' | 'events'>): boolean {
  return block.rows + more.rows <= rowsMax && block.events + more.events <= eventsMax;
}

function isLarge({ bytes, block }: HeldBlock): boolean {
  return bytes >= sealBounds.bytes || block.rows >= sealBounds.rows;
}
