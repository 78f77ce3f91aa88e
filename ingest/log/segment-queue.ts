import { type BackOff, pauseMsAfter } from '../../lib/back-off.js';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { endsWithin } from '../../lib/timeout.js';
import type { Block } from '../commit/collapse.js';
import type { EncodedBlock } from '../commit/store-block.js';
import { encodeWaiting, forgetBlock, type SealedSegment } from './segment.js';

/** A segment that is delivered, and its attempts so far. */
export type Delivery = Pick<SealedSegment, 'store'> & {
  failures: number;
  /** As of performance.now(); 0 before the first failure. */
  firstFailedAt: number;
};

/**
 * Brings the content of a segment to its store, or to where it waits for it.
 *
 * @throws Error when neither takes it; the segment is then tried again, unchanged.
 */
export type Deliver = (block: EncodedBlock, delivery: Delivery, stopping: AbortSignal) => Promise<void>;

type Deps = {
  deliver: Deliver;
  /** Removes the file of a segment that was delivered. Does not reject. */
  remove(segment: SealedSegment): Promise<void>;
  /** Gives back the space that the file of a segment does not use, because the segment waits. Does not reject. */
  cut(segment: SealedSegment): Promise<void>;
  /** Takes back a block whose content has been encoded. */
  recycle(block: Block): void;
  onDamage(): void;
  /** Whether a segment whose delivery fails goes behind the others, because they go elsewhere. */
  takesTurns?: boolean;
  log: Log;
};

export type SegmentQueue = ReturnType<typeof createSegmentQueue>;

/** Blocks that stay in memory while they wait, the one that is encoded included; the files have the rest. */
const waitingMax = { blocks: 2, memoryBytes: 64 * 1024 * 1024 };
const backOff: BackOff = { firstMs: 250, maxMs: 5_000, jitter: 0.2 };

type Item = SealedSegment & {
  encoded: EncodedBlock | undefined;
  /** Attempts to read the file that failed. */
  readFailures: number;
  /** When the file may be read again, as of performance.now(); 0 while it could be read. */
  readAgainAt: number;
  readonly delivery: Delivery;
  readonly delivered: Deferred<void>;
};

/** Delivers segments one after another, each until it is delivered. A segment leaves the disk when its store has it. */
export function createSegmentQueue(deps: Deps) {
  const { recycle, takesTurns = false, log } = deps;
  const items: Item[] = [];
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const pause = createPause();

  function push(segment: SealedSegment): void {
    if (segment.block !== undefined && !hasRoom(segment.block)) {
      forgetBlock(segment, recycle);
      void deps.cut(segment);
    }
    if (!items.some(isReadable)) pause.end();
    items.push(makeItem(segment));
    running ??= run();
  }

  /** A block that waits alone has room whatever its size. */
  function hasRoom(block: Block): boolean {
    const waiting = items.flatMap((item) => item.block ?? []);
    const bytes = waiting.reduce((sum, { memoryBytes }) => sum + memoryBytes, block.memoryBytes);
    return waiting.length === 0 || (waiting.length < waitingMax.blocks && bytes <= waitingMax.memoryBytes);
  }

  async function run(): Promise<void> {
    while (items.length > 0 && !stopping.signal.aborted) {
      const now = performance.now();
      const next = items.find(({ readAgainAt }) => readAgainAt <= now);
      if (next === undefined) await pause.wait(earliest(items.map(({ readAgainAt }) => readAgainAt)) - now);
      else await deliverOne(next);
    }
    running = undefined;
  }

  async function deliverOne(item: Item): Promise<void> {
    const error = await attempt(item, deps, stopping.signal);
    if (error === undefined) {
      items.splice(items.indexOf(item), 1);
      item.delivered.resolve();
      return;
    }
    // The stop has cut the attempt off; the next start repeats it.
    if (stopping.signal.aborted) return;
    if (item.encoded === undefined) noteUnreadable(item, error);
    else await noteFailure(item, error);
  }

  async function noteFailure(item: Item, error: unknown): Promise<void> {
    const { delivery, token } = item;
    if (delivery.failures === 0) delivery.firstFailedAt = performance.now();
    delivery.failures += 1;
    const fields = { error: String(error), token, attempts: delivery.failures, waiting: items.length };
    log.warn(fields, 'Events of the log could not be stored; they are tried again.');
    await deps.cut(item);
    if (takesTurns) {
      item.encoded = undefined;
      moveBack(item);
    }
    await pause.wait(pauseMsAfter(delivery.failures, backOff));
  }

  /** The file goes behind the others, and does not stop them. */
  function noteUnreadable(item: Item, error: unknown): void {
    const { path } = item;
    item.readFailures += 1;
    item.readAgainAt = performance.now() + pauseMsAfter(item.readFailures, backOff);
    moveBack(item);
    const fields = { error: String(error), path, attempts: item.readFailures };
    log.error(fields, 'A file of the log could not be read; it is tried again.');
  }

  function moveBack(item: Item): void {
    items.push(...items.splice(items.indexOf(item), 1));
  }

  return {
    push,
    /** The segments that may hold events of the page. One that cannot be read may never be delivered. */
    of: (pageId: PageId): readonly (Pick<Item, 'since' | 'delivered'> & { isReadable: boolean })[] =>
      items
        .filter(({ pages }) => pages === undefined || pages.has(pageId))
        .map((item) => ({ since: item.since, delivered: item.delivered, isReadable: isReadable(item) })),
    /** Whether the store has not taken the segment that is delivered now at its first attempt. */
    get isBehind(): boolean {
      return (items.find(isReadable)?.delivery.failures ?? 0) > 0;
    },
    /** When the oldest segment began, in milliseconds since the epoch; `undefined` when none waits. */
    get oldest(): number | undefined {
      return items.length === 0 ? undefined : earliest(items.map(({ since }) => since));
    },
    /** Delivers for `patienceMs` milliseconds at most, then stops. Returns the segments that are left. */
    async close(patienceMs: number): Promise<SealedSegment[]> {
      pause.end();
      if (running !== undefined && items.some(isReadable)) await endsWithin(running, patienceMs);
      stopping.abort();
      pause.end();
      await running;
      return items.splice(0);
    },
  };
}

function makeItem(segment: SealedSegment): Item {
  const delivery = { store: segment.store, failures: 0, firstFailedAt: 0 };
  const reads = { encoded: undefined, readFailures: 0, readAgainAt: 0 };
  return { ...segment, ...reads, delivery, delivered: deferred<void>() };
}

/** Returns the error when the segment was not delivered. */
async function attempt(item: Item, deps: Deps, stopping: AbortSignal): Promise<unknown> {
  try {
    item.encoded ??= await encodeWaiting(item, deps);
    if (item.encoded !== undefined) await deps.deliver(item.encoded, item.delivery, stopping);
    await deps.remove(item);
    return undefined;
  } catch (error) {
    return error ?? new Error('A delivery failed without a reason.');
  }
}

/** A pause of a loop that ends early when there is something to do. */
function createPause() {
  let end: () => void = () => {};
  return {
    end: () => end(),
    wait: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

function isReadable({ readFailures, encoded }: Item): boolean {
  return readFailures === 0 || encoded !== undefined;
}

/** The arguments of Math.min() are bounded: 130,000 of them, the segments of a day without ClickHouse, are too many. */
function earliest(times: readonly number[]): number {
  return times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY);
}
