import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { loadMigrations, pendingOf } from '../sql/migration-files.js';
import { exists, makePrivateFolder, readFileIfAny } from '../stack/files.js';
import { lockFolder } from '../stack/lock.js';
import { restoringFolder } from '../stack/stack-file.js';
import { type BackupFile, hasCheckedKeys, names, readBackupFile, readFileList } from './backup-file.js';
import { copyFiles } from './copy-files.js';
import { hasLog, logFolder } from './copy-log.js';
import { fillPostgres, tablesFolder } from './copy-postgres.js';
import { BackupError } from './errors.js';

export type RestoreOptions = {
  /** Folder of a backup. */
  directory: string;
  /** Data folder to restore into. It has neither stores nor a log yet, and no service runs on it. */
  dataDir: string;
  /** The key that the operator sets for the service; `undefined` when the service keeps one itself. */
  secretKey: string | undefined;
  signal: AbortSignal;
  /** Called with the share of the backup that has been copied, 0 to 1. */
  onProgress(share: number): void;
};

const stores = ['clickhouse', 'postgres'] as const;

/**
 * Restores the stores and the log of a backup into a data folder, and compares each file with the list of the backup. A
 * new PostgreSQL takes the rows. They are assembled in a folder beside their place. Until all are in place, no service starts on the data folder, and
 * the restore can be repeated. The next start delivers the log.
 *
 * @throws BackupError or StackError with one sentence for the operator; the data folder is then unchanged.
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
    await assertVacant(dataDir, restoring);
    await assertKey(backup, dataDir, secretKey);
    await removeUnfinished(dataDir, restoring);
    await mkdir(restoring, { mode: 0o700 });
    try {
      await copyBackup({ directory, restoring, backup, list, signal, onProgress });
      await makePostgres(restoring, backup, signal);
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

/** Checks before the first file is copied; the service would refuse such stores, too. */
async function assertNotNewer(backup: BackupFile): Promise<void> {
  for (const store of stores) pendingOf(store, await loadMigrations(store), backup[store].migrations);
}

async function assertVacant(dataDir: string, restoring: string): Promise<void> {
  // An unfinished restore has put them there: it does not start when stores or a log exist.
  if (await exists(restoring)) return;
  for (const store of stores) {
    if (await exists(join(dataDir, store))) {
      throw new BackupError(
        `${dataDir} has stores already; set HEARTLINE_DATA_DIR to a folder without stores, or move them elsewhere.`,
      );
    }
  }
  if (await hasLog(dataDir)) {
    throw new BackupError(
      `${join(dataDir, logFolder)} may hold events that no store has; move it elsewhere. See /docs/backup of the service.`,
    );
  }
}

/** With another key the service would run, but could not open the secrets of webhooks, monitors and stores. */
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
      'The backup does not contain its HEARTLINE_SECRET_KEY; set the key with which the backup was made.',
    );
  }
  if (!hasCheckedKeys(given, inBackup.check)) {
    const name = configured === undefined ? join(dataDir, names.secretKey) : 'HEARTLINE_SECRET_KEY';
    throw new BackupError(
      `${name} lacks a key that the secrets in the backup may be sealed with; list the keys with which the backup was made.`,
    );
  }
}

type Copy = Pick<RestoreOptions, 'directory' | 'signal' | 'onProgress'> & {
  restoring: string;
  backup: BackupFile;
  list: ReadonlyMap<string, string>;
};

async function copyBackup({ directory, restoring, backup, list, signal, onProgress }: Copy): Promise<void> {
  const total = (backup.log?.bytes ?? 0) + backup.postgres.bytes + backup.clickhouse.bytes;
  let copiedBytes = 0;
  const onCopied = (bytes: number): void => {
    copiedBytes += bytes;
    onProgress(copiedBytes / total);
  };
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

/** Returns the place of a file of a backup in the data folder. */
function placeOf(path: string): string {
  if (isAbsolute(path) || normalize(path).startsWith('..')) {
    throw new BackupError(`The backup names ${path}, which is outside of it.`);
  }
  return path.replace(/^clickhouse\//, 'clickhouse/data/');
}

/** Replaces the rows of PostgreSQL in the folder of the restore by a server that has them. */
async function makePostgres(restoring: string, { postgres }: BackupFile, signal: AbortSignal): Promise<void> {
  const dir = join(restoring, 'postgres.new');
  const upTo = Math.max(0, ...postgres.migrations.map(({ number }) => number));
  await fillPostgres(dir, { directory: restoring, signal, upTo });
  await rename(dir, join(restoring, tablesFolder));
}

async function putInPlace(dataDir: string, restoring: string): Promise<void> {
  for (const name of await readdir(restoring)) await rename(join(restoring, name), join(dataDir, name));
  await rm(restoring, { recursive: true });
}

/** Removes the folder of the restore last: while it exists, the stores are known to be incomplete. */
async function removeUnfinished(dataDir: string, restoring: string): Promise<void> {
  if (!(await exists(restoring))) return;
  // A log that the restore has not put there belongs to a service.
  const names = (await exists(join(restoring, logFolder))) ? stores : [...stores, logFolder];
  for (const name of names) await rm(join(dataDir, name), { recursive: true, force: true });
  await rm(restoring, { recursive: true, force: true });
}
