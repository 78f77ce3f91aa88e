import { randomUUID } from 'node:crypto';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import { endsWithin } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';
import { Block, eventsMax } from '../commit/collapse.js';
import type { Arrival } from '../commit/commit.js';
import { rowsMax } from '../commit/histograms.js';
import { createReadSeals, isFull, isUnderLoad, startSealTimer } from '../commit/sealing.js';
import { type DeliverBlockDeps, deliverBlock } from './deliver-block.js';

/** A block that takes writes until it is sealed, and then goes to its store. The buffer has each write as a part. */
export type OpenBlock = {
  readonly token: string;
  /** All its writes, collapsed. */
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

/** The part of a write that the buffer has; without a `block` if nothing of it was to be stored. */
type Written = {
  block: Block | undefined;
  bytes: number;
  batches: readonly Pick<Arrival, 'pageId' | 'at'>[];
};

export type OpenBlocks = ReturnType<typeof createOpenBlocks>;

/** The parts of a block in the buffer, which are packed: five seconds at 400,000 events a second take some 12 MB. */
const partsBytesMax = 16 * 1024 * 1024;
/** Blocks in memory. While there are so many, or such large ones, the store is too slow, and writes wait in the buffer. */
const blocksMax = 4;
const memoryBytesMax = 96 * 1024 * 1024;
/** A read waits this long for the batches that were acknowledged before it. */
const settleMsMax = 2 * secondMs;
/** A stop sends blocks for this long, and leaves the rest to the delivery. */
const closeMsMax = 2 * secondMs;

/**
 * Merges writes that the buffer has into blocks of a second, or of five under load, and brings these to their store, one
 * after another, each in one attempt. A block that the store does not take is left to the delivery of the buffer, as is
 * one whose process ends. Either way it goes under its token, and the store counts it once.
 */
export function createOpenBlocks(deps: DeliverBlockDeps) {
  /** Blocks that have not ended; the last one may be open. */
  const blocks = new Set<OpenBlock>();
  const stopping = new AbortController();
  let current: OpenBlock | undefined;
  let stopTimer = (): void => {};
  const readSeals = createReadSeals(seal);
  let last: Promise<void> = Promise.resolve();

  function open(): OpenBlock {
    const opened = makeOpenBlock();
    blocks.add(opened);
    stopTimer = startSealTimer(
      () => seal(opened),
      () => isUnderLoad(opened.block),
    );
    return opened;
  }

  /** Lets no further write join the block, which leaves when the one that has joined ends. */
  function seal(block: OpenBlock): void {
    if (block !== current) return;
    stopTimer();
    current = undefined;
    readSeals.noteSealed();
    block.isSealed = true;
    if (!block.isWriting) leave(block);
  }

  function leave(block: OpenBlock): void {
    last = last
      .then(() => deliverBlock(deps, block, stopping.signal))
      .finally(() => {
        blocks.delete(block);
        block.ended.resolve();
      });
  }

  /** Brings everything of the page that was acknowledged by now to the store. */
  async function bringToStore(pageId: PageId): Promise<void> {
    const mine = [...blocks].filter(({ oldestOf }) => oldestOf.has(pageId));
    const open = mine.find(({ isSealed }) => !isSealed);
    if (open !== undefined) void readSeals.ask(pageId, open);
    await Promise.all(mine.map(({ ended }) => ended.promise));
  }

  return {
    /**
     * Returns the block for a write of this size; `undefined` when the store is too slow. One write joins at a time; call
     * end() afterwards.
     */
    join(write: Pick<Block, 'rows' | 'events'>): OpenBlock | undefined {
      if (current !== undefined && !hasRoom(current.block, write)) seal(current);
      if (current === undefined && (isCrowded([...blocks]) || stopping.signal.aborted)) return undefined;
      current ??= open();
      current.isWriting = true;
      return current;
    },
    /** Ends a write. `written` is undefined when nobody knows whether the buffer has it. */
    end(to: OpenBlock, written: Written | undefined): void {
      to.isWriting = false;
      if (written === undefined) to.isInDoubt = true;
      else if (written.block !== undefined) mergePart(to, { ...written, block: written.block });
      if (to.isSealed) leave(to);
      else if (to.isInDoubt || isLarge(to)) seal(to);
    },
    /** As Commit.settle(). */
    async settle(pageId: PageId): Promise<number | undefined> {
      await endsWithin(bringToStore(pageId), settleMsMax);
      const times = [...blocks].flatMap(({ oldestOf }) => oldestOf.get(pageId) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** Sends all blocks for 2 s, and leaves the rest to the delivery of the buffer. */
    async close(): Promise<void> {
      if (current !== undefined) seal(current);
      if (await endsWithin(last, closeMsMax)) return;
      stopping.abort(new Error('The service stops.'));
      await last;
    },
  };
}

function makeOpenBlock(): OpenBlock {
  return {
    ...{ token: randomUUID(), block: new Block(), parts: 0, bytes: 0, oldestOf: new Map() },
    ...{ isWriting: false, isSealed: false, isInDoubt: false, ended: deferred<void>() },
  };
}

function mergePart(to: OpenBlock, { block, bytes, batches }: Written & { block: Block }): void {
  to.parts += 1;
  to.bytes += bytes;
  to.block.addBlock(block);
  for (const { pageId, at } of batches) to.oldestOf.set(pageId, Math.min(at, to.oldestOf.get(pageId) ?? at));
}

function hasRoom(block: Block, more: Pick<Block, 'rows' | 'events'>): boolean {
  return block.rows + more.rows <= rowsMax && block.events + more.events <= eventsMax;
}

function isLarge({ bytes, block }: OpenBlock): boolean {
  return bytes >= partsBytesMax || isFull(block);
}

function isCrowded(blocks: readonly OpenBlock[]): boolean {
  return (
    blocks.length >= blocksMax ||
    blocks.reduce((sum, { block }) => sum + block.memoryBytes, 0) >= memoryBytesMax
  );
}
