import { readFile } from 'node:fs/promises';
import type { Deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { type Frame, markerOf, scanFrames, type Unread } from '../../lib/outbox/log/frame.js';
import type { LogFile } from '../../lib/outbox/log/log-file.js';
import { readStanding } from '../../lib/outbox/log/read-standing.js';
import { createSlices } from '../../lib/slices.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import { Block } from '../commit/collapse.js';
import { encodeInSlices } from '../commit/encode-block.js';
import type { EncodedBlock } from '../commit/store-block.js';
import { ReplayNames, readBatches, replayRecord } from '../record/replay-record.js';

/** A file of the log that takes records, and the block that its events collapse into. */
export type OpenSegment = {
  /** The block of all records, those that are not written yet included; `undefined` once one of them was not written. */
  block: Block | undefined;
  /** Pages with events in it. */
  readonly pages: Set<PageId>;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  /** Created by the first write. */
  file: Promise<LogFile> | undefined;
  /** Bytes of the records in the file. */
  bytes: number;
  /** Writes that have not ended. */
  unwritten: number;
  /** Whether no further write joins it. */
  isSealed: boolean;
  /** Resolves when the segment has been handed over for its delivery. */
  readonly left: Deferred<void>;
};

/** A file of the log that takes no more records. Its content goes to the store under its token, and the file goes. */
export type SealedSegment = {
  readonly store: StoreName;
  readonly token: string;
  readonly path: string;
  /** Bytes of the file that hold whole records; what follows was never acknowledged. */
  readonly bytes: number;
  readonly since: number;
  /** Pages with events in it; `undefined` when the file is from another process. */
  readonly pages: ReadonlySet<PageId> | undefined;
  /** The block, while there is room for it in memory. Without it the file is read. */
  block: Block | undefined;
};

export type Replayed = {
  /** `undefined` when the file holds no event. */
  block: EncodedBlock | undefined;
  /** Stretches of the file that could not be read. */
  damaged: number;
  tailBytes: number;
};

/** Reading and collapsing so many events takes some 5 to 10 ms. */
const eventsPerSlice = 10_000;

/**
 * Reads a file of the log, and collapses its events into a block with the same figures as when they came in. Skips what
 * is damaged. Gives the event loop back after every 10,000 events: a file of 64 MiB has some 2,700,000. Returns
 * `undefined` when there is no such file: another process has taken it over while this one was suspended.
 *
 * @throws Error when the file cannot be read.
 */
export async function replaySegment({
  path,
  bytes,
  token,
}: Pick<SealedSegment, 'path' | 'bytes' | 'token'>): Promise<Replayed | undefined> {
  const frames = await readSegment({ path, bytes }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (frames === undefined) return undefined;
  const block = new Block();
  const names = new ReplayNames();
  const spend = createSlices(eventsPerSlice);
  for (;;) {
    const next = frames.next();
    if (next.done) {
      const encoded = block.rows === 0 ? undefined : await encodeSegment(token, block);
      const { damaged, tailBytes } = next.value;
      return { block: encoded, damaged, tailBytes };
    }
    for (const events of replayRecord(next.value, names, block)) {
      const pause = spend(events);
      if (pause !== undefined) await pause;
    }
  }
}

export type SegmentContents = {
  /** Bytes of the file without space that was written ahead. */
  bytes: number;
  events: number;
  /** When the oldest and the newest event happened, in milliseconds since the epoch; `undefined` without events. */
  oldest: number | undefined;
  newest: number | undefined;
  damaged: number;
  tailBytes: number;
};

/**
 * Says what a file of the log holds, which takes a fraction of the time of making its block. Its process may run.
 *
 * @throws Error as above; with the code ENOENT when the file was delivered meanwhile.
 */
export function describeSegment(path: string): Promise<SegmentContents> {
  return readStanding(path, (content) => describeContent(scanFrames(content, markerOf(path))));
}

function describeContent(frames: Generator<Frame, Unread>): SegmentContents {
  const names = new ReplayNames();
  let [events, oldest, newest] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (;;) {
    const next = frames.next();
    if (next.done) {
      const times = events === 0 ? { oldest: undefined, newest: undefined } : { oldest, newest };
      const { damaged, tailBytes, end } = next.value;
      return { bytes: end + tailBytes, events, ...times, damaged, tailBytes };
    }
    for (const { batch } of readBatches(next.value, names)) {
      events += batch.length;
      for (const at of batch.at) {
        oldest = Math.min(oldest, at);
        newest = Math.max(newest, at);
      }
    }
  }
}

async function readSegment({
  path,
  bytes,
}: Pick<SealedSegment, 'path' | 'bytes'>): Promise<Generator<Frame, Unread>> {
  return scanFrames((await readFile(path)).subarray(0, bytes), markerOf(path));
}

async function encodeSegment(token: string, block: Block): Promise<EncodedBlock> {
  const { rows, events } = block;
  return { token, bytes: await encodeInSlices(block), rows, events };
}

type Encoding = {
  /** Takes back a block whose content has been encoded. */
  recycle(block: Block): void;
  /** Called when bytes between whole records cannot be read. */
  onDamage(): void;
  log: Log;
};

/**
 * Encodes the content of a segment, from memory or from its file. Returns `undefined` when it has none, or when another
 * process has taken the file over.
 *
 * @throws Error when the file cannot be read.
 */
export async function encodeWaiting(
  segment: SealedSegment,
  { recycle, onDamage, log }: Encoding,
): Promise<EncodedBlock | undefined> {
  const { block, path, token } = segment;
  if (block !== undefined) {
    const encoded = await encodeSegment(token, block);
    forgetBlock(segment, recycle);
    return encoded;
  }
  const replayed = await replaySegment(segment);
  if (replayed === undefined) {
    log.warn({ path }, 'A file of the log is gone: the process that took it over stores its events.');
    return undefined;
  }
  const { damaged, tailBytes } = replayed;
  if (damaged > 0) {
    onDamage();
    log.error({ path, damaged }, 'A file of the log is damaged; the records around the damage are stored.');
  }
  if (tailBytes > 0) {
    log.warn(
      { path, tailBytes },
      'A file of the log ends in a record that was not written to its end, or is damaged.',
    );
  }
  return replayed.block;
}

/** Leaves the content of a segment to its file. */
export function forgetBlock(segment: SealedSegment, recycle: (block: Block) => void): void {
  if (segment.block !== undefined) recycle(segment.block);
  segment.block = undefined;
}
