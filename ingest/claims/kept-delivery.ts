import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { endsWithin, withTimeout } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';
import type { CommitMetrics } from '../commit/commit.js';
import {
  type BlockStore,
  type EncodedBlock,
  insertWithin,
  type KeepingBuffer,
} from '../commit/store-block.js';

type Deps = { store: BlockStore; buffer: KeepingBuffer; log: Log; metrics: CommitMetrics };

/** A batch in a block that is delivered. `arrival` is in milliseconds since the epoch. */
type Sent = { pageId: PageId; arrival: number };

type Item = { block: EncodedBlock; oldestOf: ReadonlyMap<PageId, number>; ended: Promise<void> };

/** Blocks in memory on their way. Those beyond are left to the delivery of the buffer at once. */
const itemsMax = 4;
/** Together with the wait for the blocks before it well within the 30 s for which the buffer holds a block. */
const attemptMsMax = 4_500;
const bufferMsMax = 3 * secondMs;
/** A read waits this long for what was acknowledged before it. */
const settleMsMax = 2 * secondMs;
/** What is left after this long at a stop is left to the delivery. */
const closeMsMax = 2 * secondMs;

/**
 * Brings blocks that the delivery buffer holds to their store, one after another, each in one attempt. A block that the
 * store does not take is left to the delivery of the buffer, as is one whose process ends.
 */
export function createKeptDelivery({ store, buffer, log, metrics }: Deps) {
  const items = new Set<Item>();
  const stopping = new AbortController();
  let last: Promise<void> = Promise.resolve();

  async function deliver(block: EncodedBlock): Promise<void> {
    const isStored = !stopping.signal.aborted && (await insert(block));
    const { token, events } = block;
    try {
      const noted = isStored ? buffer.remove(token) : buffer.release(token);
      await withTimeout(noted, bufferMsMax);
    } catch (error) {
      // The buffer delivers the block once more when its hold has ended, and the store counts it once.
      log.warn(
        { error: String(error), token, events },
        'What became of a block could not be noted in the delivery buffer.',
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

  function itemsOf(pageId: PageId): Item[] {
    return [...items].filter(({ oldestOf }) => oldestOf.has(pageId));
  }

  return {
    /** Whether another block may be held for this delivery. */
    get hasRoom(): boolean {
      return items.size < itemsMax && !stopping.signal.aborted;
    },
    /** Delivers a block with these batches in it. */
    push(block: EncodedBlock, batches: readonly Sent[]): void {
      const oldestOf = new Map<PageId, number>();
      for (const { pageId, arrival } of batches) {
        oldestOf.set(pageId, Math.min(arrival, oldestOf.get(pageId) ?? arrival));
      }
      last = last.then(() => deliver(block)).finally(() => items.delete(item));
      const item: Item = { block, oldestOf, ended: last };
      items.add(item);
    },
    /** As Commit.settle(). */
    async settle(pageId: PageId): Promise<number | undefined> {
      await endsWithin(Promise.all(itemsOf(pageId).map(({ ended }) => ended)), settleMsMax);
      const times = itemsOf(pageId).map(({ oldestOf }) => oldestOf.get(pageId) ?? Number.POSITIVE_INFINITY);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** Waits for the blocks on their way, and leaves what takes longer to the delivery of the buffer. */
    async close(): Promise<void> {
      if (await endsWithin(last, closeMsMax)) return;
      stopping.abort(new Error('The service stops.'));
      await last;
    },
  };
}
