import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { AppliedMigration } from '../sql/migration-files.js';
import { readFileIfAny, writePrivateFile } from '../stack/files.js';
import type { CopiedFile } from './copy-files.js';
import { BackupError } from './errors.js';

/** What `heartline-backup.json` says of the backup that it lies in. */
export type BackupFile = {
  format: typeof format;
  /** Version of Heartline that made it. */
  version: string;
  createdAt: string;
  postgres: StoreInBackup;
  clickhouse: StoreInBackup;
  /**
   * The key that secrets are sealed with: whether it is in the backup, and by what it is known. Taken out of the file
   * by hand, it is not asked for; what was sealed is then lost.
   */
  secretKey?: { included: boolean; check: string };
  /** Folders, of which some are empty. */
  folders: string[];
  /** SHA-256 of the list of files, which has that of each. */
  listSha256: string;
};

export type StoreInBackup = { files: number; bytes: number; migrations: AppliedMigration[] };

/** The files in it that are no store's. */
export const names = { json: 'heartline-backup.json', list: 'files.sha256', secretKey: 'secret-key' };

const format = 1;

/** Tells a secret key from another one, and nothing about it. */
export function keyCheck(secretKey: string): string {
  return createHmac('sha256', secretKey).update('heartline backup').digest('hex').slice(0, 16);
}

/** Writes the list of files, in the form of sha256sum, and last the file without which there is no backup. */
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
 * Reads what a backup says of itself.
 *
 * @throws BackupError when there is none, it did not finish, or was changed.
 */
export async function readBackupFile(directory: string): Promise<BackupFile> {
  const text = await readFileIfAny(join(directory, names.json));
  if (text === undefined) {
    throw new BackupError(
      `${directory} holds no backup, or one that did not finish: there is no ${names.json} in it.`,
    );
  }
  const content = parse(text);
  if (content === undefined) {
    throw new BackupError(`${join(directory, names.json)} is not as heartline backup writes it.`);
  }
  return content;
}

/**
 * The SHA-256 of each file, by its path.
 *
 * @throws BackupError when the list is not the one that the backup was made with.
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

/** Whoever can write the file can write the stores as well, so it is looked at for mistakes, not for attacks. */
function isWhole(value: BackupFile): boolean {
  return (
    value.format === format &&
    typeof value.listSha256 === 'string' &&
    Array.isArray(value.folders) &&
    Array.isArray(value.postgres.migrations) &&
    Array.isArray(value.clickhouse.migrations)
  );
}
