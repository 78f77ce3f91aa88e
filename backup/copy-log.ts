import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { contentBytes } from '../lib/outbox/log/written-content.js';
import { errorCode } from '../stack/errors.js';
import { type CopiedFile, type CopyOptions, copyFiles, type FileToCopy } from './copy-files.js';

/** Folder of the log, in the data folder and in a backup. */
export const logFolder = 'log';

/**
 * A process that takes over the log of one that ended moves its files to its own folder. A listing may miss a file that
 * moves meanwhile, and a file may move before it is copied. The second listing has it. To miss it as well, the process
 * would have to end at that moment, and a third one take its log over.
 */
const listings = 2;

/**
 * Copies the events that wait in the log for their store: `log/<owner>/<store>/<token>.log`. A file that does not exist
 * any more was delivered before the copies of the stores begin, so it is left out, also where its process has used it
 * for other events since. The end of a file that is being written may be missing, as after a crash. The names of the
 * files stay: they are the tokens under which the stores recognise the content. The files that say which process owns a
 * folder are left out, so that the next start takes the log over.
 */
export async function copyLog(dataDir: string, options: CopyOptions): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = [];
  for (let listing = 1; listing <= listings; listing += 1) {
    const known = new Set(copied.map(({ path }) => basename(path)));
    const paths = (await listLog(dataDir)).filter((path) => !known.has(basename(path)));
    copied.push(...(await copyFiles(await chooseFiles(dataDir, paths), options)));
  }
  return copied;
}

/** Leaves out the space that was written ahead, and files that have nothing else. */
async function chooseFiles(dataDir: string, paths: readonly string[]): Promise<FileToCopy[]> {
  const files: FileToCopy[] = [];
  for (const path of paths) {
    const from = join(dataDir, path);
    const [bytesMax, { size }] = await Promise.all([contentBytes(from), stat(from)]).catch(
      (error: unknown) => {
        if (errorCode(error) === 'ENOENT') return [0, { size: 1 }] as const;
        throw error;
      },
    );
    if (bytesMax > 0 || size === 0) files.push({ from, to: path, bytesMax, mayBeReused: true });
  }
  return files;
}

/** Whether a data folder has the log of any process. */
export async function hasLog(dataDir: string): Promise<boolean> {
  return (await namesIn(join(dataDir, logFolder))).length > 0;
}

/** Folders come and go while processes start and end, so each is listed by itself. */
async function listLog(dataDir: string): Promise<string[]> {
  const owners = await listBelow(dataDir, [logFolder]);
  const stores = await listBelow(dataDir, owners);
  const files = await listBelow(dataDir, stores);
  return files.filter((path) => path.endsWith('.log'));
}

async function listBelow(dataDir: string, folders: readonly string[]): Promise<string[]> {
  const lists = folders.map(async (folder) =>
    (await namesIn(join(dataDir, folder))).map((name) => `${folder}/${name}`),
  );
  return (await Promise.all(lists)).flat();
}

/** Returns nothing for a folder that does not exist, and for a file. */
async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  });
}
