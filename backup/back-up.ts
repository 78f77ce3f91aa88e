import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.js';
import { loadApplied } from '../sql/migrate.js';
import { type ClickHouseClient, openClickHouse } from '../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../sql/open-postgres.js';
import { errorCode } from '../stack/errors.js';
import { exists, makeFolder, makePrivateFolder, readFileIfAny } from '../stack/files.js';
import { lockFolder } from '../stack/lock.js';
import { keyCheck, names, writeBackupFile } from './backup-file.js';
import { copyClickHouse } from './copy-clickhouse.js';
import { type CopiedFile, copyFiles } from './copy-files.js';
import { copyLog, logFolder } from './copy-log.js';
import { copyPostgres } from './copy-postgres.js';
import { BackupError } from './errors.js';

export type BackUpOptions = {
  /** Folder of the embedded stores, which are running. */
  dataDir: string;
  databaseUrl: string;
  clickhouseUrl: string;
  secretKey: string;
  /** Folder of the backup: an empty folder, or one that does not exist yet. */
  directory: string;
  /** Version of Heartline, for the backup's own file. */
  version: string;
  clock: Clock;
  /** An abort ends the backup and removes its files. */
  signal: AbortSignal;
  /** Called with the bytes that have been copied of a part. */
  onProgress(part: BackupPart, bytes: number): void;
};

export type BackupPart = 'event log' | 'PostgreSQL' | 'ClickHouse';

export type Backup = {
  createdAt: string;
  /** Events that were acknowledged and that no store had yet. */
  log: { files: number; bytes: number };
  postgres: { files: number; bytes: number };
  clickhouse: { files: number; bytes: number };
  /** Milliseconds for which inserts of events waited. */
  heldMs: number;
  /** Whether the backup contains the key with which secrets are sealed. */
  secretKeyIncluded: boolean;
};

/**
 * Makes a backup of the log and both embedded stores while they are in use. Events leave the log for ClickHouse, or
 * for the delivery buffer in PostgreSQL and then for ClickHouse. The copies are made in this order, so that each view
 * of what ClickHouse lacks is older than the copy of ClickHouse. Events of the log or the buffer may then be in the
 * copy of ClickHouse already; after a restore they are delivered again under their token, which the copy knows. In
 * another order, events that are delivered between two copies would be in neither.
 *
 * @throws BackupError with one sentence for the operator; no file of the backup is left then.
 */
export async function backUp(options: BackUpOptions): Promise<Backup> {
  const { dataDir, directory } = options;
  await assertEmpty(directory);
  const unlock = await takeTurn(dataDir);
  try {
    await makeFolder(directory);
    return await copyAll(options);
  } catch (error) {
    for (const name of [logFolder, 'postgres', 'clickhouse', ...Object.values(names)]) {
      await rm(join(directory, name), { recursive: true, force: true });
    }
    throw error;
  } finally {
    await unlock();
  }
}

async function copyAll(options: BackUpOptions): Promise<Backup> {
  const { dataDir, directory, signal, onProgress, clock } = options;
  const sql = openPostgres(options.databaseUrl, { max: 2 });
  const clickhouse = openClickHouse(options.clickhouseUrl);
  const counting = (part: BackupPart) => {
    let total = 0;
    const onCopied = (bytes: number): void => {
      total += bytes;
      onProgress(part, total);
    };
    return { directory, signal, onCopied };
  };
  try {
    const createdAt = new Date(clock.now()).toISOString();
    const migrations = await loadApplied({ sql, clickhouse });
    const log = await copyLog(dataDir, counting('event log'));
    const postgres = await copyPostgres(options.databaseUrl, counting('PostgreSQL'));
    const inClickHouse = await copyClickHouse(
      clickhouse,
      join(dataDir, 'clickhouse/data'),
      counting('ClickHouse'),
    );
    const key = await copySecretKey(options);
    const sizes = {
      log: sizeOf(log),
      postgres: sizeOf(postgres),
      clickhouse: sizeOf(inClickHouse.files),
    };
    await writeBackupFile(directory, [...log, ...postgres, ...inClickHouse.files, ...key], {
      version: options.version,
      createdAt,
      log: sizes.log,
      postgres: { ...sizes.postgres, migrations: migrations.postgres },
      clickhouse: { ...sizes.clickhouse, migrations: migrations.clickhouse },
      secretKey: { included: key.length > 0, check: keyCheck(options.secretKey) },
    });
    return { createdAt, ...sizes, heldMs: inClickHouse.heldMs, secretKeyIncluded: key.length > 0 };
  } finally {
    await close(sql, clickhouse);
  }
}

async function close(sql: Sql, clickhouse: ClickHouseClient): Promise<void> {
  await clickhouse.close();
  await sql.end({ timeout: 5 });
}

/** Copies the key when the service keeps it in the data folder. An operator who sets the key keeps it elsewhere. */
async function copySecretKey({
  dataDir,
  directory,
  secretKey,
  signal,
}: BackUpOptions): Promise<CopiedFile[]> {
  const path = join(dataDir, names.secretKey);
  if ((await readFileIfAny(path))?.trim() !== secretKey) return [];
  return copyFiles([{ from: path, to: names.secretKey }], { directory, signal, onCopied() {} });
}

async function assertEmpty(directory: string): Promise<void> {
  const found = await readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw new BackupError(`${directory} cannot be used (${errorCode(error)}); choose another folder.`);
  });
  if (found.length > 0) {
    throw new BackupError(
      `${directory} is not empty; choose an empty folder, or one that does not exist yet.`,
    );
  }
}

/** Locks out other backups: the stores support one at a time. */
async function takeTurn(dataDir: string): Promise<() => Promise<void>> {
  const folder = join(dataDir, 'backing-up');
  await makePrivateFolder(folder);
  return lockFolder(
    folder,
    (pid) => `Process ${pid} is making another backup of ${dataDir}. Wait until it ends.`,
  );
}

function sizeOf(files: readonly CopiedFile[]): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** @throws BackupError unless both stores have been started in this folder before. */
export async function assertStores(dataDir: string): Promise<void> {
  for (const store of ['postgres', 'clickhouse']) {
    if (!(await exists(join(dataDir, store, 'data')))) {
      throw new BackupError(
        `There is nothing to back up: ${dataDir} holds no stores. Set HEARTLINE_DATA_DIR to the folder of the stores.`,
      );
    }
  }
}
