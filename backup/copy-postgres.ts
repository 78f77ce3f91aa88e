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

/** Folders whose contents belong to the running server; a copy has them empty, as pg_basebackup leaves them. */
const emptied =
  /^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//;
/** Files that a running server needs alone, and those that are read at the end, in another way. */
const omitted =
  /^(?:postmaster\.(?:pid|opts)|backup_label(?:\.old)?|tablespace_map(?:\.old)?|global\/pg_control)$|(?:^|\/)(?:pgsql_tmp|pg_internal\.init)/;

/**
 * Copies the files of the embedded PostgreSQL while it goes on working, by the protocol of a base backup
 * (PostgreSQL manual, "Making a Base Backup Using the Low Level API"): what changes meanwhile is in the write-ahead
 * log, which is copied last, and from which the copy recovers to the moment of the end when it is first started.
 * The engine is busy for the checkpoint at the beginning, 0.1 s.
 *
 * @throws BackupError when the log is not there as a whole.
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
    // What the slot has a folder for must be there when the server starts, so its folder is left out as well.
    const copiedFolders = folders.filter((path) => !emptied.test(path)).map((path) => `${place}/${path}`);
    await makeFolders(options.directory, copiedFolders);
    // A table that is dropped meanwhile is gone, and the log says so.
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

/** Answers the name of the first segment of the log that the copy needs. The slot keeps it and those that follow. */
async function begin(sql: Sql): Promise<string> {
  await leave(sql);
  await sql`select pg_create_physical_replication_slot(${backupSlot}, true)`;
  const [started] = await sql<{ first: string }[]>`
    select pg_walfile_name(pg_backup_start(${label}, true)) as first`;
  if (started === undefined) throw new BackupError('PostgreSQL did not begin the copy.');
  return started.first;
}

/** What goes with the files: the file that the engine finds the log by, the label, the last segment of the log. */
async function finish(sql: Sql): Promise<{ control: Buffer; backupLabel: string; last: string }> {
  // The engine itself reads it, so that it is not read in the middle of a change.
  const [file] = await sql<{ control: Buffer }[]>`
    select pg_read_binary_file('global/pg_control') as control`;
  const [stopped] = await sql<{ backupLabel: string; last: string }[]>`
    select labelfile as "backupLabel", pg_walfile_name(lsn) as last from pg_backup_stop(false)`;
  if (file === undefined || stopped === undefined) throw new BackupError('PostgreSQL did not end the copy.');
  return { ...file, ...stopped };
}

/** Leaves nothing of a copy in the server: of this one, however it ended, or of one whose process was killed. */
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

/** All from the first to the last; the engine has one timeline, so that their names are in order. */
async function findSegments(folder: string, first: string, last: string): Promise<string[]> {
  const found = (await readdir(folder)).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
  );
  if (found.length !== numberOf(last) - numberOf(first) + 1) {
    throw new BackupError('PostgreSQL did not keep its log while it was copied; make the backup again.');
  }
  return found;
}

/** `TTTTTTTTLLLLLLLLSSSSSSSS`: timeline, 4 GiB of the log, and one of their 256 segments. */
function numberOf(segment: string): number {
  return Number.parseInt(segment.slice(8, 16), 16) * 256 + Number.parseInt(segment.slice(16), 16);
}
