import type { PageId } from '../../lib/ids.js';
import { createLru } from '../../lib/lru.js';
import { createPace, type Pace } from '../../lib/outbox/pace.js';
import { secondMs } from '../../lib/times.js';
import type { Block } from './collapse.js';
import { encodedBytesMax } from './encode-block.js';

/** An insert costs ClickHouse 30 to 45 ms of processor time whatever its size, so a block takes what comes in a second. */
const sealAfterMs = secondMs;
/** At 100,000 events a second, blocks of five seconds cost ClickHouse a quarter of what blocks of one second do. */
export const sealAfterMsMax = 5 * secondMs;
/** Below so many events in the first second, ClickHouse spends some 4 % of a core on all inserts: freshness matters more. */
const highLoadEvents = 20_000;
/** Leaves room for some 15 batches of new rows that are on their way: a block has at most 65,536 rows. */
const rowsMaxSealed = 48_000;
/** A block may wait in the delivery buffer, whose driver holds a few copies of one at a time. */
const encodedBytesMaxSealed = 32 * 1024 * 1024;

/** A block that takes writes until it is sealed. */
export type Sealable = { readonly isSealed: boolean };

/** Whether a block is sealed at once, whatever the load. */
export function isFull(block: Block): boolean {
  return block.rows >= rowsMaxSealed || encodedBytesMax(block) >= encodedBytesMaxSealed;
}

/** Whether a block that is one second old has come to so many events that it goes on for four more. */
export function isUnderLoad({ events }: Pick<Block, 'events'>): boolean {
  return events >= highLoadEvents;
}

/**
 * Calls `seal` after one second, or after five if `goesOn` says so when one has passed. Returns a function that ends the
 * wait.
 */
export function startSealTimer(seal: () => void, goesOn: () => boolean): () => void {
  let timer = setTimeout(() => {
    if (goesOn()) timer = setTimeout(seal, sealAfterMsMax - sealAfterMs);
    else seal();
  }, sealAfterMs);
  return () => clearTimeout(timer);
}

/** Reads of all pages seal blocks ten times a second at most. */
const sealPauseMs = 100;
/**
 * The reads of one page seal twenty blocks one after another, and then two a second: a page that is polled a hundred
 * times a second would bring back ten small inserts a second, which take up to 45 % of a core.
 */
const ofPage = { burst: 20, paceMs: () => secondMs / 2 };
/** Pages that are read, of some 200 bytes each. */
const pagesMax = 10_000;

/**
 * Seals blocks for the reads that wait for their content. The reads of a page that come while a block is open share one
 * seal.
 */
export function createReadSeals<Open extends Sealable>(seal: (open: Open) => void) {
  const paces = createLru<PageId, Pace>(pagesMax);
  /** The block that the reads of a page wait for. */
  const asked = new Map<PageId, Open>();
  let sealedAt = Number.NEGATIVE_INFINITY;

  function paceOf(pageId: PageId): Pace {
    const pace = paces.get(pageId) ?? createPace(ofPage);
    paces.set(pageId, pace);
    return pace;
  }

  async function waitForTurn(pageId: PageId, open: Open): Promise<void> {
    const pace = paceOf(pageId);
    for (;;) {
      const pauseMs = sealedAt + sealPauseMs - performance.now();
      const waitMs = pauseMs > 0 ? pauseMs : pace.take();
      if (waitMs <= 0) return;
      await pass(waitMs);
      if (open.isSealed) return;
    }
  }

  return {
    /** Seals the block when the page may, unless it is sealed meanwhile. */
    async ask(pageId: PageId, open: Open): Promise<void> {
      if (asked.get(pageId) === open) return;
      asked.set(pageId, open);
      await waitForTurn(pageId, open);
      if (asked.get(pageId) === open) asked.delete(pageId);
      if (!open.isSealed) seal(open);
    },
    /** Notes that a block was sealed, for whatever reason. */
    noteSealed(): void {
      sealedAt = performance.now();
    },
  };
}

/** A timer counts whole milliseconds and may fire up to one too early. */
function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.ceil(ms) + 1));
}
