import type { Clock } from '../../lib/clock.js';
import { type PageId, parseId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { createAdoption } from '../../lib/outbox/log/adopt.js';
import {
  type LogFolder,
  type LogOwner,
  type LogPath,
  openLogFolder,
} from '../../lib/outbox/log/log-folder.js';
import { createLogSpace, type LogSpace } from '../../lib/outbox/log/log-space.js';
import type { PreparedFiles } from '../../lib/outbox/log/prepared-files.js';
import { startPollLoop } from '../../lib/poll-loop.js';
import { createSpareBuffers } from '../../lib/spare-buffers.js';
import { secondMs } from '../../lib/times.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import { Block } from '../commit/collapse.js';
import type { CommitMetrics } from '../commit/commit.js';
import { sealAfterMsMax } from '../commit/sealing.js';
import type { BlockBuffer, BlockStore } from '../commit/store-block.js';
import { deliverToBuffer, deliverToOwnStore, deliverToStore, watchDeliveries } from './deliver.js';
import { createLogCommit, type LogCommit } from './log-commit.js';
import type { SealedSegment } from './segment.js';
import { createSegmentQueue, type Deliver, type SegmentQueue } from './segment-queue.js';

export type LogMetrics = {
  synced(seconds: number): void;
  /** Called for each file of the log in which bytes between whole records cannot be read. */
  damaged(): void;
};

export type EventLogOptions = {
  /** Folder of the logs of all processes on this data folder. */
  dir: string;
  bytesMax: number;
  owner: LogOwner;
  clock: Clock;
  log: Log;
  metrics: LogMetrics & CommitMetrics;
  /** The store of the installation. */
  store: BlockStore;
  bufferOf(store: StoreName): BlockBuffer;
};

/** The log of this process, in front of every event store. */
export type EventLog = {
  /** The commit to the installation's store. */
  readonly commit: LogCommit;
  /** Returns a commit to a page's own store. */
  openCommit(pageId: PageId, store: BlockStore, buffer: BlockBuffer): LogCommit;
  readonly bytes: number;
  /** Bytes of files that are written ahead of their events. */
  readonly aheadBytes: number;
  /** When the oldest event arrived that its store does not have, in milliseconds since the epoch. */
  readonly oldest: number | undefined;
  /** Delivers what it can within 5 s. What is left stays on the disk. */
  close(): Promise<void>;
};

/** An owner of which nothing was seen for 15 s is dead, so its log is delivered after 20 s at most. */
const adoptMs = 5 * secondMs;
/** Empty blocks that are kept for the next segments: two are in use under load, one that fills and one that is encoded. */
const keptMax = { blocks: 3, memoryBytes: 64 * 1024 * 1024 };
/** Two writes at their bound, one that fills and one on its way to the disk, and what they grew out of. */
const spareBytesMax = 64 * 1024 * 1024;
const closeMsMax = secondMs;

/** Opens the log, and takes over what processes left that ended before. @throws Error when the folder cannot be used. */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const { dir, clock, log, metrics, bufferOf, store } = options;
  const folder = await openLogFolder(dir, options.owner, log);
  const space = createLogSpace(options.bytesMax);
  const commits = new Set<LogCommit>();
  const spare: Block[] = [];
  const spareBuffers = createSpareBuffers(spareBytesMax);
  const makeBlock = (): Block => spare.pop() ?? new Block();

  function recycle(block: Block): void {
    block.clear();
    const bytes = spare.reduce((sum, { memoryBytes }) => sum + memoryBytes, block.memoryBytes);
    if (spare.length < keptMax.blocks && bytes <= keptMax.memoryBytes) spare.push(block);
  }

  /** Pages' own stores have none: 500 of them would take as many files of 256 KiB, and most get a batch now and then. */
  const prepared = await folder.prepare('default', space);
  const { remove, removeAgain } = createRemoval({ folder, prepared, space, log });
  const cut = async ({ path, bytes }: SealedSegment): Promise<void> => prepared?.cut(path, bytes);
  const openQueue = (deliver: Deliver, takesTurns = false): SegmentQueue =>
    createSegmentQueue({ deliver, remove, cut, recycle, onDamage: metrics.damaged, takesTurns, log });

  function open(name: StoreName, queue: SegmentQueue, isBehind: () => boolean): LogCommit {
    const commit = createLogCommit({
      ...{ store: name, space, queue, isBehind, makeBlock, spareBuffers, clock, log },
      createFile: () =>
        name === 'default' && prepared !== undefined ? prepared.next() : folder.create(name),
      onSync: metrics.synced,
      onLeft(segments) {
        commits.delete(commit);
        if (name !== 'default') for (const segment of segments) left.push(segment);
      },
    });
    commits.add(commit);
    return commit;
  }

  /** Files of pages' own stores that were left go to their delivery buffers. */
  const left = openQueue(deliverToBuffer(bufferOf), true);
  const watched = watchDeliveries(deliverToStore({ store, buffer: bufferOf('default'), log, metrics }));
  const queue = openQueue(watched.deliver);
  const commit = open('default', queue, () => queue.isBehind || watched.isSlow());
  const adopt = createAdoption(dir, folder, options.owner);

  async function adoptLeft(): Promise<void> {
    for (const segment of await adoptSegments(adopt, log)) {
      space.add(segment.bytes);
      (segment.store === 'default' ? queue : left).push(segment);
    }
  }

  // A log that cannot be taken over must not keep the service from its start.
  await adoptLeft().catch((error) =>
    log.error({ error: String(error) }, 'A log that was left cannot be taken over.'),
  );
  const tend = async (): Promise<boolean> => {
    await removeAgain();
    await adoptLeft();
    await prepared?.tend();
    return false;
  };
  const tending = startPollLoop('log', tend, { log, pollMs: adoptMs });

  return {
    commit,
    openCommit(pageId, ownStore, buffer) {
      let isBehind = false;
      const deliver = deliverToOwnStore({ store: ownStore, buffer, log, metrics }, (to) => {
        isBehind = to === 'buffer';
      });
      return open(pageId, openQueue(deliver), () => isBehind);
    },
    get bytes() {
      return space.bytes;
    },
    get aheadBytes() {
      return space.aheadBytes;
    },
    get oldest() {
      const times = [left, ...commits].map(({ oldest }) => oldest).filter((time) => time !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async close() {
      await tending.stop();
      await commit.close();
      await left.close(closeMsMax);
      await removeAgain();
      await prepared?.close();
      await folder.close();
    },
  };
}

/** The file does not say when its first event came in: it takes events for 5 s at most. */
function describeLeft({ store, path, token, bytes, modifiedAt }: LogPath): SealedSegment | undefined {
  const name = store === 'default' ? store : parseId<PageId>(store);
  if (name === undefined) return undefined;
  const since = Math.floor(modifiedAt) - sealAfterMsMax;
  return { store: name, path, token, bytes, since, pages: undefined, block: undefined };
}

/** Takes over the files of processes that ended, and returns those that belong to a store. */
async function adoptSegments(adopt: () => Promise<LogPath[]>, log: Log): Promise<SealedSegment[]> {
  const files = await adopt();
  if (files.length > 0) {
    log.warn(
      { files: files.length },
      'The log of a process that ended was taken over; its events are stored now.',
    );
  }
  const segments: SealedSegment[] = [];
  for (const file of files) {
    const segment = describeLeft(file);
    if (segment === undefined) log.warn({ path: file.path }, 'A file of the log belongs to no store.');
    else segments.push(segment);
  }
  return segments;
}

/**
 * Removes files that were delivered, or has them used again. Keeps those that could not be removed, such as on a
 * read-only disk, for another attempt: the store knows their tokens for some time only, so a start much later would
 * count them twice.
 */
function createRemoval(deps: {
  folder: LogFolder;
  prepared: PreparedFiles | undefined;
  space: LogSpace;
  log: Log;
}) {
  const { folder, prepared, space, log } = deps;
  /** Their bytes by their paths. */
  const unremoved = new Map<string, number>();

  async function remove({ path, bytes }: Pick<SealedSegment, 'path' | 'bytes'>): Promise<void> {
    try {
      if (!(await prepared?.keep(path, bytes))) await folder.remove(path);
      space.remove(bytes);
      unremoved.delete(path);
    } catch (error) {
      unremoved.set(path, bytes);
      log.error(
        { error: String(error), path },
        'A file of the log was delivered, but could not be removed; this is tried again.',
      );
    }
  }

  async function removeAgain(): Promise<void> {
    for (const [path, bytes] of unremoved) await remove({ path, bytes });
  }

  return { remove, removeAgain };
}
