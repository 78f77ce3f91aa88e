import { createSeldomLog } from '../../lib/log.js';
import type { LogFile } from '../../lib/outbox/log/log-file.js';
import type { LogSpace } from '../../lib/outbox/log/log-space.js';
import { createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import type { SpareBuffers } from '../../lib/spare-buffers.js';
import { secondMs } from '../../lib/times.js';
import type { Commit } from '../commit/commit.js';
import { rowsMax } from '../commit/histograms.js';
import { EventRecord } from '../record/event-record.js';
import { createOpenSegments, type SegmentDeps } from './open-segments.js';
import type { OpenSegment, SealedSegment } from './segment.js';

type Deps = SegmentDeps & {
  /** Creates the next file of this store's log. */
  createFile(): Promise<LogFile>;
  space: LogSpace;
  /** Called with what is left on the disk when the commit closes. */
  onLeft(segments: readonly SealedSegment[]): void;
  /** Memory for the writes of a burst. */
  spareBuffers: SpareBuffers;
  onSync(seconds: number): void;
};

export type LogCommit = Commit & {
  /** When the oldest event arrived that the store does not have, in milliseconds since the epoch. */
  readonly oldest: number | undefined;
};

/** Batches that one write brings to the disk. */
type Write = { record: EventRecord; segment: OpenSegment };

/** Bounds of the write that waits and of the block behind it. A batch that would cross one is refused as `storeBusy`. */
const bounds = { recordBytes: 24 * 1024 * 1024, rows: rowsMax - 2_000 };
/**
 * More than a thousand writes a second would cost more processor time than the batches in them. While few events come at
 * a time, waiting collects none: one sender of ten events after another would get an answer each millisecond only.
 */
const pace = { ms: 1, smallMs: 0.25, smallEvents: 64, burst: 10 };
/** A batch with less time before its answer is refused: it would fail the whole write if the disk is slow. */
const writeMsMin = secondMs;
/** A write that takes longer means that the disk hangs. New batches are refused until it ends. */
const stalledAfterMs = 7_000;
/** A write that ends less than this before its first sender is answered in any case does not count: they send again. */
const answerMs = 250;
/** A stop delivers for this long. The rest stays on the disk for the next start. */
const closeMsMax = 5 * secondMs;

/**
 * Acknowledges batches when the log has them: one write with one sync goes to the disk at a time, and what arrives
 * meanwhile forms the next. A file takes the writes of a second, or of five under load. It is then sealed, and the block
 * of its events goes to the store, with the name of the file as its token. After a crash, the process that takes the file
 * over collapses its events again.
 */
export function createLogCommit(deps: Deps): LogCommit {
  const { space, queue, log } = deps;
  /** A disk that is full fails a thousand times a second. */
  const unwritten = createSeldomLog(log);
  const spare: EventRecord[] = [];
  const segments = createOpenSegments(deps);
  /** Events in the write that left last. */
  let lastEvents = 0;
  const outbox = createOutbox<Write, void>({
    makeBlock: () => ({
      record: spare.pop() ?? new EventRecord(deps.spareBuffers),
      segment: segments.join(),
    }),
    commit: (write, _closing, answerBy) => commit(write, answerBy),
    paceMs: () => (lastEvents <= pace.smallEvents ? pace.smallMs : pace.ms),
    burst: pace.burst,
    stalledAfterMs,
    hasRoomBehind: () => !space.isFull,
  });

  async function commit({ record, segment }: Write, answerBy: number): Promise<void> {
    lastEvents = record.events;
    try {
      await write(record, segment, answerBy);
    } catch (error) {
      fail(segment, error);
      throw storeUnavailable(error);
    } finally {
      record.clear();
      spare.push(record);
      segments.end(segment);
    }
  }

  async function write(record: EventRecord, segment: OpenSegment, answerBy: number): Promise<void> {
    if (segment.block === undefined) throw new Error('The write before this one failed.');
    const startedAt = performance.now();
    segment.file ??= deps.createFile();
    const file = await segment.file;
    await file.append(record.version, record.chunks(), () => performance.now() < answerBy - answerMs);
    space.add(file.bytes - segment.bytes);
    segment.bytes = file.bytes;
    deps.onSync((performance.now() - startedAt) / 1000);
  }

  /** The block holds events that the file does not: it is made again from the file. */
  function fail(segment: OpenSegment, error: unknown): void {
    if (segment.block === undefined) return;
    segment.block = undefined;
    unwritten.note({ error: String(error) }, 'The log could not be written; the senders get an error.');
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
    settle: segments.settle,
    async close() {
      await outbox.close();
      await segments.close();
      deps.onLeft(await queue.close(closeMsMax));
    },
    get waitingEvents() {
      return outbox.waiting?.record.events ?? 0;
    },
    get oldest() {
      return queue.oldest ?? segments.oldest;
    },
  };
}

function fits({ record, segment }: Write, events: number): boolean {
  const rows = segment.block?.rows ?? 0;
  return record.bytes < bounds.recordBytes && record.fits(events) && rows + events < bounds.rows;
}
