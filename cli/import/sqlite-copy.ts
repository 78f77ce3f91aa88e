import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describeThisProcess, hasEnded } from '../../stack/process-identity.js';

const prefix = 'heartline-import-';
/** Says which process made the folder, for the one that finds it after a kill. */
const ownerFile = 'owner';

/** Calls `use` with a copy of a database, which only this user can read, and deletes it afterwards. */
export async function withCopy<T>(path: string, use: (copy: string) => Promise<T>): Promise<T> {
  await deleteLeftCopies();
  const folder = await mkdtemp(join(tmpdir(), prefix));
  try {
    await writeFile(join(folder, ownerFile), await describeThisProcess());
    const copy = join(folder, 'copy.db');
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    await chmod(copy, 0o600);
    await useNoLog(copy);
    return await use(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Bytes 18 and 19 say whether writers use a log (https://www.sqlite.org/fileformat.html#file_format_version_numbers),
 * which the reader cannot open; without one beside it, both forms are the same.
 */
async function useNoLog(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(Buffer.of(1, 1), 0, 2, 18);
  } finally {
    await file.close();
  }
}

/**
 * An import that was killed could not delete its copy. Those of other users stay: the name of a folder in a place where
 * everybody writes says nothing about what is in it.
 */
async function deleteLeftCopies(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const found = await lstat(folder).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== userInfo().uid) continue;
    const owner = await readFile(join(folder, ownerFile), 'utf8').catch(() => undefined);
    if (owner !== undefined && (await hasEnded(owner))) await rm(folder, { recursive: true, force: true });
  }
}
