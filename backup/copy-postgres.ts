import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '../sql/open-postgres.js';
import { backupSlot } from '../stack/postgres-backup-slot.js';
import {
  type CopiedFile,
  type CopyOptions,
  copyFiles,
  type FileToCopy,
  listTree,
  makeFolders,
} from './copy-files.js';
import { BackupError } from './errors.js';

export type PostgresCopy = { files: CopiedFile[]; folders: string[] };

/** Folder of the copy within a backup. */
const place = 'postgres';
const label = 'heartline';
const notInProgress = '55000';

/** Folders whose contents belong to the running server. They are empty in a copy, as in one of pg_basebackup. */
const emptied =
  /^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//;
/** Files that only a running server needs, and files that are copied at the end in another way. */
const omitted =
  /^(?:postmaster\.(?:pid|opts)|backup_label(?:\.old)?|tablespace_map(?:\.old)?|global\/pg_control)$|(?:^|\/)(?:pgsql_tmp|pg_internal\.init)/;

/**
 * Copies the files of the embedded PostgreSQL while it is in use, by the protocol of a base backup (PostgreSQL manual,
 * "Making a Base Backup Using the Low Level API"). Changes during the copy are in the write-ahead log, which is copied
 * last. When the copy is first started, it recovers from the log to the end of the backup. The engine is busy for 0.1 s
 * with the checkpoint at the beginning.
 *
 * @throws BackupError when a part of the log is missing.
 */
export async function copyPostgres(
  sql: Sql,
  dataFolder: string,
  options: CopyOptions,
): Promise<PostgresCopy> {
  const first = await begin(sql);
  try {
    const { files, folders } = await listTree(dataFolder);
    const wanted = files.filter((path) => !emptied.test(path) && !omitted.test(path));
    const copyOf = (path: string): FileToCopy => ({ from: join(dataFolder, path), to: `${place}/${path}` });
    // The server does not start with the folder of a slot without its contents, so the folder is left out as well.
    const copiedFolders = folders.filter((path) => !emptied.test(path)).map((path) => `${place}/${path}`);
    await makeFolders(options.directory, copiedFolders);
    // The files of a table that is dropped during the copy are missing, and the log has the drop.
    const copied = await copyFiles(wanted.map(copyOf), options);
    const { control, backupLabel, last } = await finish(sql);
    copied.push(await write(options.directory, 'global/pg_control', control));
    copied.push(await write(options.directory, 'backup_label', Buffer.from(backupLabel)));
    const segments = await findSegments(join(dataFolder, 'pg_wal'), first, last);
    copied.push(
      ...(await copyFiles(
        segments.map((name) => copyOf(`pg_wal/${name}`)),
        options,
      )),
    );
    return { files: copied, folders: copiedFolders };
  } finally {
    await leave(sql);
  }
}

/** Returns the name of the first segment of the log that the copy needs. The slot keeps it and later segments. */
async function begin(sql: Sql): Promise<string> {
  await leave(sql);
  await sql`select pg_create_physical_replication_slot(${backupSlot}, true)`;
  const [started] = await sql<{ first: string }[]>`
    select pg_walfile_name(pg_backup_start(${label}, true)) as first`;
  if (started === undefined) throw new BackupError('PostgreSQL did not begin the copy.');
  return started.first;
}

/** Ends the copy. Returns the control file, which points to the log, the label, and the last segment of the log. */
async function finish(sql: Sql): Promise<{ control: Buffer; backupLabel: string; last: string }> {
  // The engine itself reads the file, so that it is not read in the middle of a change.
  const [file] = await sql<{ control: Buffer }[]>`
    select pg_read_binary_file('global/pg_control') as control`;
  const [stopped] = await sql<{ backupLabel: string; last: string }[]>`
    select labelfile as "backupLabel", pg_walfile_name(lsn) as last from pg_backup_stop(false)`;
  if (file === undefined || stopped === undefined) throw new BackupError('PostgreSQL did not end the copy.');
  return { ...file, ...stopped };
}

/** Removes the traces of a copy from the server: of this copy, or of one whose process was killed. */
async function leave(sql: Sql): Promise<void> {
  await sql`select pg_backup_stop(false)`.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === notInProgress)) throw error;
  });
  await sql`
    select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${backupSlot}`;
}

async function write(directory: string, path: string, bytes: Buffer): Promise<CopiedFile> {
  const to = `${place}/${path}`;
  await writeFile(join(directory, to), bytes, { flag: 'wx', mode: 0o600 });
  return { path: to, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Returns all segments from the first to the last. Their names are in order, because the engine has one timeline. */
async function findSegments(folder: string, first: string, last: string): Promise<string[]> {
  const found = (await readdir(folder)).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
  );
  if (found.length !== numberOf(last) - numberOf(first) + 1) {
    throw new BackupError('PostgreSQL did not keep its log while it was copied; make the backup again.');
  }
  return found;
}

/** Parses `TTTTTTTTLLLLLLLLSSSSSSSS`: timeline, 4 GiB of the log, and one of their 256 segments. */
function numberOf(segment: string): number {
  return Number.parseInt(segment.slice(8, 16), 16) * 256 + Number.parseInt(segment.slice(16), 16);
}
