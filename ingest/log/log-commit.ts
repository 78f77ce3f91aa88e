import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.js';
import { deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import type { LogFile } from '../../lib/outbox/log/log-file.js';
import { tokenOf } from '../../lib/outbox/log/log-folder.js';
import type { LogSpace } from '../../lib/outbox/log/log-space.js';
import { createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { endsWithin } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import { type Block, rowsMax } from '../commit/collapse.js';
import type { Commit } from '../commit/commit.js';
import { EventRecord, recordVersion } from '../record/event-record.js';
import type { OpenSegment, SealedSegment } from './segment.js';
import type { SegmentQueue } from './segment-queue.js';

type Deps = {
  store: StoreName;
  /** Creates the next file of this store's log. */
  createFile(): Promise<LogFile>;
  space: LogSpace;
  queue: SegmentQueue;
  /** Whether the store is known to be unreachable. */
  isBehind(): boolean;
  /** Returns an empty block. */
  makeBlock(): Block;
  /** Called with what is left on the disk when the commit closes. */
  onLeft(segments: readonly SealedSegment[]): void;
  onSync(seconds: number): void;
  clock: Clock;
  log: Log;
};

export type LogCommit = Commit & {
  /** When the oldest event arrived that the store does not have, in milliseconds since the epoch. */
  readonly oldest: number | undefined;
};

/** What joins one write to the disk. */
type Write = { record: EventRecord; segment: OpenSegment };

/** An insert costs ClickHouse 30 to 45 ms of processor time whatever its size, so a segment takes what comes in a second. */
export const sealAfterMs = secondMs;
/** While the store takes nothing, fewer and larger files are quicker to deliver afterwards. */
export const sealAfterMsBehind = 5 * secondMs;
/** A larger segment is sealed at once: reading 8 MiB again and collapsing them keeps the process busy for about 0.1 s. */
const sealBounds = { bytes: 8 * 1024 * 1024, rows: 24_000 };
/** Reads seal segments ten times a second at most. */
const sealPauseMs = 100;
/** A read waits this long for what was acknowledged before it. */
const settleMsMax = 2 * secondMs;
/** With more segments before its own, a read does not wait: they would take longer. */
const settleSegmentsMax = 4;
/** Bounds of the write that waits and of the block behind it. A batch that would cross one is refused as `storeBusy`. */
const bounds = { recordBytes: 24 * 1024 * 1024, rows: rowsMax - 2_000 };
/** More than a thousand syncs a second would cost more processor time than the batches in them. */
const pace = { paceMs: () => 1, burst: 10 };
/** A batch with less time before its answer is refused: it would fail the whole write if the disk is slow. */
const writeMsMin = secondMs;
/** A write that takes longer means that the disk hangs. New batches are refused until it ends. */
const stalledAfterMs = 7_000;
/** A write that ends less than this before its first sender is answered in any case does not count: they send again. */
const answerMs = 250;
/** What is left after this long at a stop stays on the disk for the next start. */
const closeMsMax = 5 * secondMs;

/**
 * Acknowledges batches when the log has them: one write with one sync goes to the disk at a time, and what arrives
 * meanwhile forms the next. A file takes the writes of about a second. It is then sealed, and what its events have
 * collapsed into goes to the store as one block, with the name of the file as its token. After a crash, the process that
 * takes the file over collapses its events again.
 */
export function createLogCommit(deps: Deps): LogCommit {
  const { space, queue, clock, log } = deps;
  /** A disk that is full fails a thousand times a second. */
  const unwritten = createSeldomLog(log);
  const spare: EventRecord[] = [];
  /** Segments that have not been handed over; the last one may be open. */
  const segments = new Set<OpenSegment>();
  let current: OpenSegment | undefined;
  let sealTimer: NodeJS.Timeout | undefined;
  let sealedAt = Number.NEGATIVE_INFINITY;
  const outbox = createOutbox<Write, void>({
    makeBlock: () => ({ record: spare.pop() ?? new EventRecord(), segment: joinSegment() }),
    commit: (write, _closing, answerBy) => commit(write, answerBy),
    ...pace,
    stalledAfterMs,
    hasRoomBehind: () => !space.isFull,
  });

  function joinSegment(): OpenSegment {
    // The writes before this one may have filled the block to its bound and still be on their way to the disk.
    if (current !== undefined && isLarge(current)) seal(current);
    current ??= openSegment();
    current.unwritten += 1;
    return current;
  }

  function openSegment(): OpenSegment {
    const segment: OpenSegment = {
      ...{ block: deps.makeBlock(), pages: new Set(), since: clock.now(), file: undefined },
      ...{ bytes: 0, unwritten: 0, isSealed: false, left: deferred<void>() },
    };
    segments.add(segment);
    const takesMs = deps.isBehind() ? sealAfterMsBehind : sealAfterMs;
    sealTimer = setTimeout(() => seal(segment), takesMs);
    return segment;
  }

  /** Lets no further write join the segment, which leaves when its last write has ended. */
  function seal(segment: OpenSegment): void {
    if (segment !== current) return;
    clearTimeout(sealTimer);
    current = undefined;
    sealedAt = performance.now();
    segment.isSealed = true;
    if (segment.unwritten === 0) void handOver(segment);
  }

  async function commit({ record, segment }: Write, answerBy: number): Promise<void> {
    try {
      await write(record, segment, answerBy);
      if (isLarge(segment)) seal(segment);
    } catch (error) {
      fail(segment, error);
      throw storeUnavailable(error);
    } finally {
      record.clear();
      spare.push(record);
      segment.unwritten -= 1;
      if (segment.isSealed && segment.unwritten === 0) void handOver(segment);
    }
  }

  async function write(record: EventRecord, segment: OpenSegment, answerBy: number): Promise<void> {
    if (segment.block === undefined) throw new Error('The write before this one failed.');
    const startedAt = performance.now();
    segment.file ??= deps.createFile();
    const file = await segment.file;
    await file.append(recordVersion, record.chunks(), () => performance.now() < answerBy - answerMs);
    space.add(file.bytes - segment.bytes);
    segment.bytes = file.bytes;
    deps.onSync((performance.now() - startedAt) / 1000);
  }

  /** The block holds events that the file does not: it is made again from the file. */
  function fail(segment: OpenSegment, error: unknown): void {
    if (segment.block === undefined) return;
    segment.block = undefined;
    unwritten.note({ error: String(error) }, 'The log could not be written; the senders get an error.');
    seal(segment);
  }

  async function handOver(segment: OpenSegment): Promise<void> {
    const { block, pages, since, bytes } = segment;
    // A file that was not created needs no delivery. Its first write has logged why, and its senders have their error.
    const file = await segment.file?.catch(() => undefined);
    if (file !== undefined) {
      const { path } = file;
      // What was acknowledged is on the disk, whatever the disk answers now.
      await file.close().catch((error: unknown) => {
        log.warn({ error: String(error), path }, 'A file of the log could not be closed.');
      });
      queue.push({ store: deps.store, token: tokenOf(path), path, bytes, since, pages, block });
    }
    segments.delete(segment);
    segment.left.resolve();
  }

  /** Brings everything of the page that was acknowledged by now to the store. */
  async function bringToStore(pageId: PageId): Promise<void> {
    const mine = [...segments].filter(({ pages }) => pages.has(pageId));
    const open = mine.find(({ isSealed }) => !isSealed);
    if (open !== undefined) {
      // A timer counts whole milliseconds and may fire up to one too early.
      const pauseMs = Math.ceil(sealedAt + sealPauseMs - performance.now()) + 1;
      await delay(Math.max(0, pauseMs));
      seal(open);
    }
    await Promise.all(mine.map(({ left }) => left.promise));
    const readable = queue.of(pageId).filter(({ isReadable }) => isReadable);
    await Promise.all(readable.map(({ delivered }) => delivered.promise));
  }

  function oldestOf(pageId: PageId, waiting: readonly { since: number }[]): number | undefined {
    const open = [...segments].filter(({ pages }) => pages.has(pageId));
    const times = [...waiting, ...open].map(({ since }) => since);
    return times.length === 0 ? undefined : times.reduce((first, time) => Math.min(first, time));
  }

  return {
    async add(batch, callers, { pageId, at, answerBy }) {
      if (answerBy - performance.now() < writeMsMin) {
        throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
      }
      const { block: write, outcome } = outbox.join((waiting) => fits(waiting, batch.length), answerBy);
      const { record, segment } = write;
      record.add(batch, callers, at);
      segment.pages.add(pageId);
      const rows = segment.block?.add(batch) ?? 0;
      for (const caller of callers) segment.block?.addReport(caller, at);
      await outcome;
      return { rows, writtenTo: 'log', isWaiting: deps.isBehind() };
    },
    async settle(pageId) {
      if (queue.isBehind || queue.of(pageId).length > settleSegmentsMax)
        return oldestOf(pageId, queue.of(pageId));
      const isSettled = await endsWithin(bringToStore(pageId), settleMsMax);
      const waiting = queue.of(pageId);
      if (!isSettled) return oldestOf(pageId, waiting);
      return waiting.find(({ isReadable }) => !isReadable)?.since;
    },
    async close() {
      await outbox.close();
      if (current !== undefined) seal(current);
      await Promise.all([...segments].map(({ left }) => left.promise));
      deps.onLeft(await queue.close(closeMsMax));
    },
    get waitingEvents() {
      return outbox.waiting?.record.events ?? 0;
    },
    get oldest() {
      return queue.oldest ?? [...segments][0]?.since;
    },
  };
}

function fits({ record, segment }: Write, events: number): boolean {
  const rows = segment.block?.rows ?? 0;
  return record.bytes < bounds.recordBytes && record.fits(events) && rows + events < bounds.rows;
}

function isLarge({ bytes, block }: OpenSegment): boolean {
  return bytes >= sealBounds.bytes || (block?.rows ?? 0) >= sealBounds.rows;
}
