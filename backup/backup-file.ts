import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { secretKeysOf } from '../lib/secrets/secret-keys.js';
import type { AppliedMigration } from '../sql/migration-files.js';
import { readFileIfAny, writePrivateFile } from '../stack/files.js';
import type { CopiedFile } from './copy-files.js';
import { BackupError } from './errors.js';

/** The content of `heartline-backup.json`, which describes its backup. */
export type BackupFile = {
  format: typeof format;
  /** Version of Heartline that made the backup. */
  version: string;
  createdAt: string;
  /** Events that no store had yet; missing in a backup of a version that had no log. */
  log?: { files: number; bytes: number };
  postgres: StoreInBackup;
  clickhouse: StoreInBackup;
  /**
   * The key with which secrets are sealed: whether the backup contains it, and a check of it. When this field is removed
   * by hand, a restore does not ask for the key, and the sealed secrets are lost.
   */
  secretKey?: { included: boolean; check: string };
  /** SHA-256 of the list of files, which has the SHA-256 of each file. */
  listSha256: string;
};

export type StoreInBackup = { files: number; bytes: number; migrations: AppliedMigration[] };

/** The files of a backup that belong to no store. */
export const names = { json: 'heartline-backup.json', list: 'files.sha256', secretKey: 'secret-key' };

/** Format 1 had the files of a PostgreSQL in WebAssembly, which no server reads. */
const format = 2;

/** Returns a check for each key of the list, with commas between them. A check distinguishes keys and reveals nothing about them. */
export function keyCheck(secretKey: string): string {
  return secretKeysOf(secretKey)
    .map((key) => createHmac('sha256', key).update('heartline backup').digest('hex').slice(0, 16))
    .join(',');
}

/** Whether each key that a check is of is in the list. */
export function hasCheckedKeys(secretKey: string, check: string): boolean {
  const given = keyCheck(secretKey).split(',');
  return check.split(',').every((one) => given.includes(one));
}

/** Writes the list of files in the form of sha256sum, and last the file that makes the backup valid. */
export async function writeBackupFile(
  directory: string,
  files: readonly CopiedFile[],
  about: Omit<BackupFile, 'format' | 'listSha256'>,
): Promise<void> {
  const list = files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
  await writePrivateFile(join(directory, names.list), list);
  const content: BackupFile = { format, ...about, listSha256: sha256(list) };
  await writePrivateFile(join(directory, names.json), `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Reads the description of a backup.
 *
 * @throws BackupError when the folder has no backup, or the backup did not finish or was changed.
 */
export async function readBackupFile(directory: string): Promise<BackupFile> {
  const text = await readFileIfAny(join(directory, names.json));
  if (text === undefined) {
    throw new BackupError(
      `${directory} holds no complete backup: it has no ${names.json}. Choose another folder.`,
    );
  }
  const content = parse(text);
  if (content === undefined) {
    throw new BackupError(
      `${join(directory, names.json)} was changed, or another version of Heartline wrote it. Choose another backup.`,
    );
  }
  return content;
}

/**
 * Reads the SHA-256 of each file, by its path.
 *
 * @throws BackupError when the list is missing or was changed.
 */
export async function readFileList(
  directory: string,
  { listSha256 }: BackupFile,
): Promise<Map<string, string>> {
  const list = await readFileIfAny(join(directory, names.list));
  if (list === undefined || sha256(list) !== listSha256) {
    throw new BackupError(`The backup is damaged: ${names.list} is missing or was changed.`);
  }
  const lines = list.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function parse(text: string): BackupFile | undefined {
  try {
    const value: BackupFile = JSON.parse(text);
    return isWhole(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Checks for mistakes, not for attacks: a person who can write this file can write the stores as well. */
function isWhole(value: BackupFile): boolean {
  return (
    value.format === format &&
    typeof value.listSha256 === 'string' &&
    Array.isArray(value.postgres.migrations) &&
    Array.isArray(value.clickhouse.migrations)
  );
}
