import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { secondMs } from '../../times.js';
import { syncFolder } from './log-file.js';
import {
  idForm,
  type LogFolder,
  type LogOwner,
  type LogPath,
  logSuffix,
  namesIn,
  ownerFile,
  removeIfEmpty,
  removeSpares,
  tokenOf,
} from './log-folder.js';
import { cutToContent } from './written-content.js';

/** An owner that cannot be asked whether it runs, such as one in another container, counts as dead after this silence. */
export const silentMsMax = 15 * secondMs;

/** Lists the files below the folder of one owner. */
export async function listLog(path: string): Promise<LogPath[]> {
  const found: LogPath[] = [];
  for (const store of await namesIn(path)) {
    for (const name of await namesIn(join(path, store))) {
      if (!name.endsWith(logSuffix)) continue;
      const file = join(path, store, name);
      const stats = await stat(file).catch(() => undefined);
      if (stats === undefined) continue;
      const { size: bytes, mtimeMs: modifiedAt } = stats;
      found.push({ store, path: file, token: tokenOf(file), bytes, modifiedAt });
    }
  }
  return found.sort((a, b) => (a.token < b.token ? -1 : 1));
}

/**
 * Lists the folders of owners below the folder of the log; none when there is no such folder.
 *
 * @throws Error when it cannot be listed: it may hold logs that were left.
 */
export async function listOwners(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  return entries
    .filter((one) => one.isDirectory() && idForm.test(one.name))
    .map(({ name }) => join(dir, name));
}

/**
 * Returns what an owner wrote about itself; `undefined` for a folder that its owner left, or a backup restored.
 *
 * @throws Error when it cannot be read: a process without free file descriptors must not take others for dead.
 */
export async function readOwner(path: string): Promise<string | undefined> {
  return readFile(join(path, ownerFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/**
 * Watches the folder of the log for files that their process left behind. Each call of the returned function takes over
 * what was left, and returns it. A file is renamed into the own folder, which one process alone can do with it.
 */
export function createAdoption(dir: string, own: Pick<LogFolder, 'path'>, owner: LogOwner) {
  /** The last sign of each owner, and when it was first seen here. The clocks of the two need not agree. */
  const signs = new Map<string, { sign: number; since: number }>();
  /** Files that were renamed by a call that then failed are returned by the next one. */
  const taken: LogPath[] = [];

  async function isLeft(path: string): Promise<boolean> {
    const description = await readOwner(path).catch(() => null);
    if (description === null) return false;
    if (description === undefined || (await owner.hasEnded(description))) return true;
    const sign = (await stat(join(path, ownerFile)).catch(() => undefined))?.mtimeMs;
    if (sign === undefined) return false;
    const known = signs.get(path);
    if (known?.sign === sign) return performance.now() - known.since > silentMsMax;
    signs.set(path, { sign, since: performance.now() });
    return false;
  }

  /** @throws Error when nothing could be taken over, and something was left. */
  return async (): Promise<LogPath[]> => {
    const errors: unknown[] = [];
    for (const path of await listOwners(dir)) {
      if (path === own.path || !(await isLeft(path))) continue;
      await takeOver(path, own.path, taken).catch((error) => errors.push(error));
      signs.delete(path);
    }
    if (taken.length === 0 && errors.length > 0) throw errors[0];
    return taken.splice(0);
  };
}

async function takeOver(from: string, to: string, taken: LogPath[]): Promise<void> {
  for (const file of await listLog(from)) {
    await claimFile(file, to, taken);
  }
  await removeOwner(from);
}

/**
 * Moves a file into the folder of an owner, cuts it to its records, and adds it to `taken`, unless another process was
 * faster.
 *
 * @throws Error when it cannot be moved.
 */
export async function claimFile(file: LogPath, to: string, taken: LogPath[]): Promise<void> {
  const folder = join(to, file.store);
  if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(to);
  const path = join(folder, `${file.token}${logSuffix}`);
  const isOurs = await rename(file.path, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (!isOurs) return;
  const bytes = await cutToContent(path).catch(() => file.bytes);
  taken.push({ ...file, path, bytes });
  await syncFolder(folder);
}

/** Removes what says whose the folder of an owner is, and the folder when it holds nothing else. */
export async function removeOwner(path: string): Promise<void> {
  for (const store of await namesIn(path)) {
    if (store === ownerFile) continue;
    await removeSpares(join(path, store));
    await removeIfEmpty(join(path, store));
  }
  await rm(join(path, ownerFile), { force: true });
  await removeIfEmpty(path);
}
