import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../log.js';
import { secondMs } from '../../times.js';
import { writesDirectly } from './file-system.js';
import { createLogFile, type Fence, type LogFile, syncFolder } from './log-file.js';
import type { LogSpace } from './log-space.js';
import { openPreparedFiles, type PreparedFiles } from './prepared-files.js';
import { spareSuffix } from './spare-files.js';

/** The process that writes a log, as other processes see it. */
export type LogOwner = {
  /** Describes this process in the file `owner.json` of its folder. */
  description: string;
  /** Whether the process of a description has ended for certain; false when that cannot be found out from here. */
  hasEnded(description: string): Promise<boolean>;
};

/** A file that waits to be delivered. */
export type LogPath = {
  store: string;
  path: string;
  /** Names the content of the file to the store, for good. */
  token: string;
  bytes: number;
  /** When it was written last, in milliseconds since the epoch. */
  modifiedAt: number;
};

/** The files of the log that this process writes or has adopted: `<dir>/<id>/<store>/<token>.log`. */
export type LogFolder = {
  readonly id: string;
  readonly path: string;
  /** Creates the next file for a store. */
  create(store: string): Promise<LogFile>;
  /** Writes the files for a store ahead; `undefined` where the file system gains nothing. @throws Error without a folder. */
  prepare(store: string, space: LogSpace): Promise<PreparedFiles | undefined>;
  /** Removes a file whose content has been delivered. */
  remove(path: string): Promise<void>;
  /** Stops the signs of life. Removes the folder when it is empty, and otherwise leaves it for another process to adopt. */
  close(): Promise<void>;
};

/** Name of the folder of all logs in a data folder. */
export const logFolderName = 'log';
export const ownerFile = 'owner.json';
export const logSuffix = '.log';
export const idForm = /^[0-9a-f]{16}$/;
/** Every other process on the folder sees this sign of life, and adopts a log whose owner gives none for 15 s. */
const signMs = 2 * secondMs;
/** Later than this after the last sign, a write is followed by a look whether the file is still there. */
const fenceMs = 5 * secondMs;

/**
 * Makes the name of an owner's file, which is its token. It has the form of a UUID, as the tokens of all other blocks, so
 * that the delivery buffer takes it. Tokens of one owner sort by their number.
 */
export function makeToken(id: string, number: number): string {
  const digits = number.toString(16).padStart(16, '0');
  return [id.slice(0, 8), id.slice(8, 12), id.slice(12), digits.slice(0, 4), digits.slice(4)].join('-');
}

export const tokenOf = (path: string): string => basename(path, logSuffix);

/** Opens a new folder of this process below `dir`, which is created when there is none. */
export async function openLogFolder(dir: string, owner: LogOwner, log: Log): Promise<LogFolder> {
  const id = randomBytes(8).toString('hex');
  const path = join(dir, id);
  let lastNumber = 0;
  let signedAt = performance.now();
  /** For good once there was a long silence: another process may have found it out, and act on it any time later. */
  let wasSilent = false;
  const fence: Fence = { mayBeLost: () => wasSilent || performance.now() - signedAt > fenceMs };

  /** The folder gets its name when it has its owner: others take one without an owner for one that was left. */
  async function establish(): Promise<void> {
    const draft = `${path}.new`;
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeFile(join(draft, ownerFile), owner.description, { mode: 0o600 });
    await rename(draft, path);
    await syncFolder(dir);
  }

  async function giveSign(): Promise<void> {
    wasSilent = fence.mayBeLost();
    const now = performance.now();
    const at = new Date();
    try {
      await utimes(join(path, ownerFile), at, at);
      signedAt = now;
    } catch (error) {
      if (await isGone(path)) await makeAgain();
      else log.warn({ error: String(error), path }, 'The folder of the log could not be marked as in use.');
    }
  }

  /** This process was suspended for so long that another one took its log over. */
  async function makeAgain(): Promise<void> {
    wasSilent = true;
    log.warn({ path }, 'Another process has taken the log over; this one begins a new one.');
    await mkdir(path, { recursive: true, mode: 0o700 });
    await writeFile(join(path, ownerFile), owner.description, { mode: 0o600 });
    await syncFolder(dir);
  }

  function nextName(): string {
    lastNumber += 1;
    return `${makeToken(id, lastNumber)}${logSuffix}`;
  }

  async function makeFolder(store: string): Promise<string> {
    const folder = join(path, store);
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(path);
    return folder;
  }

  async function createIn(store: string): Promise<LogFile> {
    const folder = await makeFolder(store);
    return createLogFile(join(folder, nextName()), fence, isDirect);
  }

  if ((await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(dirname(dir));
  const isDirect = await writesDirectly(dir);
  await establish();
  const timer = setInterval(() => void giveSign().catch(() => {}), signMs);
  timer.unref();

  return {
    id,
    path,
    create: createIn,
    async prepare(store, space) {
      if (!isDirect) return undefined;
      const folder = await makeFolder(store);
      return openPreparedFiles({
        ...{ folder, fence, space, log },
        isOwn: (file) =>
          file === join(folder, basename(file)) && tokenOf(file).startsWith(makeToken(id, 0).slice(0, 18)),
        nextPath: () => join(folder, nextName()),
        create: () => createIn(store),
      });
    },
    async remove(file) {
      await rm(file, { force: true });
      // A power failure would bring it back after the store has forgotten its token.
      await syncFolder(dirname(file)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    },
    async close() {
      clearInterval(timer);
      for (const store of await namesIn(path))
        if (store !== ownerFile) await removeIfEmpty(join(path, store));
      await rm(join(path, ownerFile), { force: true });
      await removeIfEmpty(path);
    },
  };
}

async function isGone(path: string): Promise<boolean> {
  return stat(join(path, ownerFile)).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

/** Returns the names in a folder; none when there is no such folder. */
export async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}

/** Removes files that hold no events from the folder of a store. */
export async function removeSpares(folder: string): Promise<void> {
  const spares = (await namesIn(folder)).filter((name) => name.endsWith(spareSuffix));
  for (const name of spares) await rm(join(folder, name), { force: true });
}

export async function removeIfEmpty(path: string): Promise<void> {
  await rmdir(path).catch(() => {});
}
