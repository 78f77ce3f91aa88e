import type { Clock } from '../../lib/clock.js';
import { deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { tokenOf } from '../../lib/outbox/log/log-folder.js';
import type { LogSpace } from '../../lib/outbox/log/log-space.js';
import { endsWithin } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import type { Block } from '../commit/collapse.js';
import { createReadSeals, isFull, isUnderLoad, startSealTimer } from '../commit/sealing.js';
import type { OpenSegment } from './segment.js';
import type { SegmentQueue } from './segment-queue.js';

export type SegmentDeps = {
  store: StoreName;
  queue: SegmentQueue;
  space: Pick<LogSpace, 'bytesMax'>;
  /** Whether the store is known to be unreachable. */
  isBehind(): boolean;
  /** Returns an empty block. */
  makeBlock(): Block;
  clock: Clock;
  log: Log;
};

/** Replaying 64 MiB takes a process a second of a core. */
const segmentBytesMax = 64 * 1024 * 1024;
/** Eight segments fit into the smallest log, so that a full one makes room soon. */
const segmentsInLog = 8;
/** A read waits this long for the batches that were acknowledged before it. */
const settleMsMax = 2 * secondMs;
/** With more segments before its own, a read does not wait: they would take longer. */
const settleSegmentsMax = 4;

/**
 * Keeps the segments of one store until their last write has ended: writes join the current one, which is sealed after
 * a second, after five while load is high or the store takes nothing, or for a read, and then handed over for its
 * delivery.
 */
export function createOpenSegments({ store, queue, space, isBehind, makeBlock, clock, log }: SegmentDeps) {
  const bytesMax = Math.min(segmentBytesMax, space.bytesMax / segmentsInLog);
  /** Segments that have not been handed over; the last one may be open. */
  const segments = new Set<OpenSegment>();
  let current: OpenSegment | undefined;
  let stopTimer = (): void => {};
  const readSeals = createReadSeals(seal);

  function open(): OpenSegment {
    const segment: OpenSegment = {
      ...{ block: makeBlock(), pages: new Set(), since: clock.now(), file: undefined },
      ...{ bytes: 0, unwritten: 0, isSealed: false, left: deferred<void>() },
    };
    segments.add(segment);
    // While the store takes nothing, fewer and larger files are quicker to deliver afterwards.
    const goesOn = (): boolean => isBehind() || (segment.block !== undefined && isUnderLoad(segment.block));
    stopTimer = startSealTimer(() => seal(segment), goesOn);
    return segment;
  }

  /** Lets no further write join the segment, which leaves when its last write has ended. */
  function seal(segment: OpenSegment): void {
    if (segment !== current) return;
    stopTimer();
    current = undefined;
    readSeals.noteSealed();
    segment.isSealed = true;
    if (segment.unwritten === 0) void leave(segment);
  }

  async function leave(segment: OpenSegment): Promise<void> {
    await handOver(segment, { store, queue, log });
    segments.delete(segment);
    segment.left.resolve();
  }

  /** Brings everything of the page that was acknowledged by now to the store. */
  async function bringToStore(pageId: PageId): Promise<void> {
    const mine = [...segments].filter(({ pages }) => pages.has(pageId));
    const open = mine.find(({ isSealed }) => !isSealed);
    if (open !== undefined) void readSeals.ask(pageId, open);
    await Promise.all(mine.map(({ left }) => left.promise));
    const readable = queue.of(pageId).filter(({ isReadable }) => isReadable);
    await Promise.all(readable.map(({ delivered }) => delivered.promise));
  }

  function isLarge({ bytes, block }: OpenSegment): boolean {
    return bytes >= bytesMax || (block !== undefined && isFull(block));
  }

  function oldestOf(pageId: PageId): number | undefined {
    const mine = [...segments].filter(({ pages }) => pages.has(pageId));
    return earliest([...queue.of(pageId), ...mine]);
  }

  return {
    /** Returns the segment for one more write. Call end() when the write has ended, whatever its outcome. */
    join(): OpenSegment {
      // The writes before this one may have filled the block to its bound and still be on their way to the disk.
      if (current !== undefined && isLarge(current)) seal(current);
      current ??= open();
      current.unwritten += 1;
      return current;
    },
    /** Ends a write. After a failure the segment takes no more: it is delivered as its file has it. */
    end(segment: OpenSegment): void {
      segment.unwritten -= 1;
      if (segment.isSealed) {
        if (segment.unwritten === 0) void leave(segment);
      } else if (segment.block === undefined || isLarge(segment)) seal(segment);
    },
    /** As Commit.settle(). */
    async settle(pageId: PageId): Promise<number | undefined> {
      if (queue.isBehind || queue.of(pageId).length > settleSegmentsMax) return oldestOf(pageId);
      if (!(await endsWithin(bringToStore(pageId), settleMsMax))) return oldestOf(pageId);
      return queue.of(pageId).find(({ isReadable }) => !isReadable)?.since;
    },
    /** Seals what is open; resolves when all has been handed over. */
    async close(): Promise<void> {
      if (current !== undefined) seal(current);
      await Promise.all([...segments].map(({ left }) => left.promise));
    },
    /** When the oldest segment began, in milliseconds since the epoch. */
    get oldest(): number | undefined {
      return [...segments][0]?.since;
    },
  };
}

/** Gives a segment to the queue, without its file if that was not created: its senders have their error then. */
async function handOver(
  { block, pages, since, bytes, file: created }: OpenSegment,
  { store, queue, log }: Pick<SegmentDeps, 'store' | 'queue' | 'log'>,
): Promise<void> {
  const file = await created?.catch(() => undefined);
  if (file === undefined) return;
  const { path } = file;
  // Acknowledged batches are on the disk, whatever the disk answers now.
  await file.close().catch((error: unknown) => {
    log.warn({ error: String(error), path }, 'A file of the log could not be closed.');
  });
  queue.push({ store, token: tokenOf(path), path, bytes, since, pages, block });
}

function earliest(segments: readonly { since: number }[]): number | undefined {
  if (segments.length === 0) return undefined;
  return segments.reduce((first, { since }) => Math.min(first, since), Number.POSITIVE_INFINITY);
}
