import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { loadMigrations, pendingOf } from '../sql/migration-files.js';
import { makePrivateFolder, readFileIfAny } from '../stack/files.js';
import { lockFolder } from '../stack/lock.js';
import { restoringFolder } from '../stack/restoring.js';
import { type BackupFile, keyCheck, names, readBackupFile, readFileList } from './backup-file.js';
import { copyFiles, makeFolders } from './copy-files.js';
import { BackupError } from './errors.js';

export type RestoreOptions = {
  /** Folder of a backup. */
  directory: string;
  /** Folder that the stores go to; it has none yet, and no service runs on it. */
  dataDir: string;
  /** The key that the service will be given, when it is given one. */
  secretKey: string | undefined;
  signal: AbortSignal;
  /** Told what share of the backup has been copied. */
  onProgress(share: number): void;
};

const stores = ['clickhouse', 'postgres'] as const;

/**
 * Puts the stores of a backup into a data folder, each file compared with the list that was made with the backup.
 * They are put together beside their place; until both are in it the folder is one that no service starts on, and
 * on which the same can be done again.
 *
 * @throws BackupError or StackError with one plain sentence; the folder is then as it was before.
 */
export async function restore({
  directory,
  dataDir,
  secretKey,
  signal,
  onProgress,
}: RestoreOptions): Promise<BackupFile> {
  const backup = await readBackupFile(directory);
  await assertNotNewer(backup);
  const list = await readFileList(directory, backup);
  await makePrivateFolder(dataDir);
  const unlock = await lockFolder(dataDir);
  try {
    const restoring = restoringFolder(dataDir);
    await assertNoStores(dataDir, restoring);
    await assertKey(backup, dataDir, secretKey);
    await removeUnfinished(dataDir, restoring);
    await mkdir(restoring, { mode: 0o700 });
    try {
      await copyBackup({ directory, restoring, backup, list, signal, onProgress });
      await putInPlace(dataDir, restoring);
    } catch (error) {
      await removeUnfinished(dataDir, restoring);
      throw error;
    }
    return backup;
  } finally {
    await unlock();
  }
}

/** Before the first file is copied, though the service would refuse such stores as well. */
async function assertNotNewer(backup: BackupFile): Promise<void> {
  for (const store of stores) pendingOf(store, await loadMigrations(store), backup[store].migrations);
}

async function assertNoStores(dataDir: string, restoring: string): Promise<void> {
  // What an unfinished restore has put in place was not there before: it would have refused.
  if (await exists(restoring)) return;
  for (const store of stores) {
    if (await exists(join(dataDir, store))) {
      throw new BackupError(
        `${dataDir} has stores already; set HEARTLINE_DATA_DIR to a folder without, or move those away.`,
      );
    }
  }
}

/** Without the right key the service would run, but could not open the secrets of webhooks, monitors and stores. */
async function assertKey(
  { secretKey: inBackup }: BackupFile,
  dataDir: string,
  configured: string | undefined,
): Promise<void> {
  if (inBackup === undefined) return;
  const kept = (await readFileIfAny(join(dataDir, names.secretKey)))?.trim();
  const given = configured ?? kept;
  if (given === undefined && inBackup.included) return;
  if (given === undefined) {
    throw new BackupError(
      'The backup was made with a HEARTLINE_SECRET_KEY that is not in it; set it to the same one.',
    );
  }
  if (keyCheck(given) !== inBackup.check) {
    const name = configured === undefined ? join(dataDir, names.secretKey) : 'HEARTLINE_SECRET_KEY';
    throw new BackupError(`${name} is not the key that the secrets in the backup are sealed with.`);
  }
}

type Copy = Pick<RestoreOptions, 'directory' | 'signal' | 'onProgress'> & {
  restoring: string;
  backup: BackupFile;
  list: ReadonlyMap<string, string>;
};

async function copyBackup({ directory, restoring, backup, list, signal, onProgress }: Copy): Promise<void> {
  const total = backup.postgres.bytes + backup.clickhouse.bytes;
  let copiedBytes = 0;
  const onCopied = (bytes: number): void => {
    copiedBytes += bytes;
    onProgress(copiedBytes / total);
  };
  await makeFolders(restoring, backup.folders.map(placeOf));
  const files = [...list.keys()].map((path) => ({ from: join(directory, path), to: placeOf(path) }));
  const copied = await copyFiles(files, { directory: restoring, signal, onCopied });
  const found = new Map(copied.map(({ path, sha256 }) => [path, sha256]));
  for (const [path, sha256] of list) {
    const now = found.get(placeOf(path));
    if (now !== sha256) {
      throw new BackupError(
        `The backup is damaged: ${path} ${now === undefined ? 'is missing' : 'was changed'}. Nothing was restored.`,
      );
    }
  }
}

/** Where a file of a backup belongs in the data folder. */
function placeOf(path: string): string {
  if (isAbsolute(path) || normalize(path).startsWith('..')) {
    throw new BackupError(`The backup names ${path}, which is outside of it.`);
  }
  return path.replace(/^(postgres|clickhouse)\//, '$1/data/');
}

async function putInPlace(dataDir: string, restoring: string): Promise<void> {
  for (const name of await readdir(restoring)) await rename(join(restoring, name), join(dataDir, name));
  await rm(restoring, { recursive: true });
}

/** The folder itself goes last: for as long as it is there, what else is removed here is known to be unfinished. */
async function removeUnfinished(dataDir: string, restoring: string): Promise<void> {
  if (!(await exists(restoring))) return;
  for (const store of stores) await rm(join(dataDir, store), { recursive: true, force: true });
  await rm(restoring, { recursive: true, force: true });
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
