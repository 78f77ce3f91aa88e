import { open, rename, rm, stat, truncate } from 'node:fs/promises';
import { createSeldomLog, type Log } from '../../log.js';
import { minuteMs, secondMs } from '../../times.js';
import { blankFile } from './blank-file.js';
import { type Fence, type LogFile, openLogFile, syncFolder, writeFlags } from './log-file.js';
import type { LogSpace } from './log-space.js';
import { createSpares, spareOf } from './spare-files.js';
import { stepBytes } from './written-content.js';

type Deps = {
  /** Folder of the files. */
  folder: string;
  fence: Fence;
  space: LogSpace;
  /** Whether this process created the file: one that another process may write yet is never used again. */
  isOwn(path: string): boolean;
  /** Returns the path of the next file. */
  nextPath(): string;
  /** Creates a file that is not written ahead. */
  create(): Promise<LogFile>;
  log: Log;
};

type ReadyFile = LogFile & { preparedBytes: number };

/** The files of one store that are written ahead, and used again once they have been delivered. */
export type PreparedFiles = {
  /** Returns the next file: the one that is ready, or one that is not written ahead. @throws Error when there is neither. */
  next(): Promise<LogFile>;
  /**
   * Takes a file whose content has been delivered out of the log, to use it again. Its name is gone when this returns true.
   *
   * @param bytes of its records.
   * @throws Error when it can neither be kept nor removed.
   */
  keep(path: string, bytes: number): Promise<boolean>;
  /** Gives the space behind the records of a file back, because the file stays for longer. */
  cut(path: string, bytes: number): Promise<void>;
  /** Prepares a file if none is ready, and gives up what has not been needed for a minute. Call it every few seconds. */
  tend(): Promise<void>;
  /** Removes the files that hold no records. */
  close(): Promise<void>;
};

/** The largest file that takes records. */
const fileBytesMax = 64 * 1024 * 1024;
/** A file takes at most this part of the log's space, so that five of them leave most of it to events. */
const spacePart = 16;
/** The next file is as large as the largest of the last ones, and a quarter more. */
const filesSeen = 8;
const headroom = 1.25;
const quietMs = minuteMs;
const retryMs = 10 * secondMs;

/**
 * Keeps the next file of a store ready: written ahead with zeros, or a file that was delivered, under its name and open.
 * A record in it costs one write and no change of metadata, 0.16 ms instead of 0.31 for 40 kB, and half the processor time.
 *
 * A file that was delivered loses its name, and the disk knows so, before a byte of it changes: its records are never read
 * again under that name. Its first bytes are zeros, and the disk has them, before it gets its next name. The records
 * behind them have the marker of the last name, so they are none of the new file's.
 */
export function openPreparedFiles(deps: Deps): PreparedFiles {
  const { folder, fence, space, isOwn, nextPath, create } = deps;
  const failures = createSeldomLog(deps.log);
  const sizes = createSizes(space);
  const spares = createSpares(folder, space);
  const unused = createUnused(space);
  /** Files that are being cut: their space must not take new records meanwhile. */
  const cutting = new Map<string, Promise<void>>();
  let ready: ReadyFile | undefined;
  let preparing: Promise<void> | undefined;
  let takenAt = performance.now();
  let retryAt = 0;
  let isClosed = false;

  async function prepare(): Promise<void> {
    if (ready !== undefined || isClosed || performance.now() < retryAt) return;
    preparing ??= prepareOne()
      .catch((error: unknown) => {
        retryAt = performance.now() + retryMs;
        failures.note(
          { error: String(error), folder },
          'A file of the log could not be written ahead; events are acknowledged without it, somewhat slower.',
        );
      })
      .finally(() => {
        preparing = undefined;
      });
    await preparing;
  }

  async function prepareOne(): Promise<void> {
    const spare = spares.take();
    const bytes = sizes.choose(spare?.bytes ?? 0);
    const path = nextPath();
    if (bytes > 0)
      ready = await makeReady({ path, from: spare?.path ?? spareOf(path), bytes }, { ...deps, unused });
    else if (spare !== undefined) await removeSoftly(spare.path);
  }

  async function dropReady(): Promise<void> {
    const file = ready;
    ready = undefined;
    if (file !== undefined) await drop(file);
  }

  async function drop(file: LogFile): Promise<void> {
    unused.forget(file.path);
    await file.close().catch(() => {});
    await removeSoftly(file.path);
  }

  return {
    async next() {
      const file = ready;
      ready = undefined;
      takenAt = performance.now();
      void prepare();
      if (file === undefined) return create();
      // Another process may have removed it together with what was left.
      if (!fence.mayBeLost() || (await exists(file.path))) return file;
      await drop(file);
      return create();
    },
    async keep(path, bytes) {
      if (!isOwn(path)) return false;
      sizes.note(path, bytes);
      unused.forget(path);
      await cutting.get(path);
      const isKept = !isClosed && sizes.canPrepare && (await spares.keep(path, sizes.wanted()));
      if (isKept) void prepare();
      return isKept;
    },
    async cut(path, bytes) {
      if (!unused.forget(path)) return;
      const done = truncate(path, bytes).catch(() => {});
      cutting.set(path, done);
      await done;
      cutting.delete(path);
    },
    async tend() {
      if (performance.now() - takenAt > quietMs) {
        sizes.forget();
        await spares.drop();
        if (ready !== undefined && ready.preparedBytes > stepBytes) await dropReady();
      }
      await prepare();
    },
    async close() {
      isClosed = true;
      await preparing;
      await spares.drop();
      await dropReady();
    },
  };
}

/** Makes a file, or one that was delivered, ready under its next name. @throws Error when that fails; both are gone then. */
async function makeReady(
  { path, from, bytes }: { path: string; from: string; bytes: number },
  { folder, fence, unused }: Pick<Deps, 'folder' | 'fence'> & { unused: ReturnType<typeof createUnused> },
): Promise<ReadyFile> {
  try {
    await blankFile(from, bytes);
    await rename(from, path);
    await syncFolder(folder);
    const handle = await open(path, writeFlags(true));
    const onUsed = (used: number): void => unused.use(path, used);
    const file = await openLogFile(path, handle, { fence, isDirect: true }, { bytes, onUsed }).catch(
      async (error: unknown) => {
        await handle.close();
        throw error;
      },
    );
    unused.add(path, bytes);
    return Object.assign(file, { preparedBytes: bytes });
  } catch (error) {
    await removeSoftly(from);
    await removeSoftly(path);
    throw error;
  }
}

/** Chooses how much of a file is written ahead. */
function createSizes(space: LogSpace) {
  const bytesMax = Math.min(fileBytesMax, roundDown(space.bytesMax / spacePart));
  /** Bytes of the last files by their paths. */
  const last = new Map<string, number>();
  const wanted = (): number =>
    Math.min(bytesMax, Math.max(stepBytes, roundUp(headroom * Math.max(0, ...last.values()))));
  return {
    canPrepare: bytesMax > 0,
    wanted,
    /** Notes how many bytes of records a file has taken; once, although a removal that failed is tried again. */
    note(path: string, bytes: number): void {
      last.set(path, bytes);
      for (const oldest of last.keys()) {
        if (last.size <= filesSeen) break;
        last.delete(oldest);
      }
    },
    forget(): void {
      last.clear();
    },
    /** Returns the size of the next file; 0 for none. A log that is half full leaves its space to events. */
    choose(spareBytes: number): number {
      const bytes = wanted();
      return space.bytes + space.aheadBytes + bytes <= space.bytesMax / 2
        ? bytes
        : Math.min(bytes, roundDown(spareBytes));
    },
  };
}

/** Counts the bytes of each file that were written ahead, and hold no records yet, in the space of the log. */
function createUnused(space: LogSpace) {
  const bytesOf = new Map<string, number>();
  return {
    add(path: string, bytes: number): void {
      bytesOf.set(path, bytes);
      space.addAhead(bytes);
    },
    use(path: string, bytes: number): void {
      bytesOf.set(path, (bytesOf.get(path) ?? 0) - bytes);
      space.removeAhead(bytes);
    },
    /** Returns whether the file was counted. */
    forget(path: string): boolean {
      space.removeAhead(bytesOf.get(path) ?? 0);
      return bytesOf.delete(path);
    },
  };
}

const roundUp = (bytes: number): number => Math.ceil(bytes / stepBytes) * stepBytes;
const roundDown = (bytes: number): number => Math.floor(bytes / stepBytes) * stepBytes;

async function removeSoftly(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => {});
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
