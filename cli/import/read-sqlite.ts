import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { FileError } from '../apply/read-file.js';
import { UsageError } from '../core/errors.js';

const magic = Buffer.from('SQLite format 3\0');

/** Whether these are the bytes of a database of SQLite. */
export const isSqlite = (bytes: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

/** Rows of the tables that were asked for, and the names of the other tables that have rows. */
export type Tables<Name extends string> = { rows: Record<Name, Record<string, unknown>[]>; others: string[] };

/**
 * Reads tables of a database of SQLite from a copy, so that its program may go on. One that the version of the program does
 * not have is empty.
 *
 * @param tables their queries, by names; each begins with `select * from TABLE`
 * @param needed without which it is a database of something else
 * @throws UsageError for a database whose newest changes are in a log beside it
 * @throws FileError for what cannot be read, and for one without the tables that are needed
 */
export async function readSqlite<Name extends string>(
  path: string,
  tables: Readonly<Record<Name, string>>,
  needed: readonly string[],
): Promise<Tables<Name>> {
  const log = await stat(`${path}-wal`).catch(() => undefined);
  if (log !== undefined && log.size > 0) {
    throw new UsageError(
      `The newest changes are in ${path}-wal. Stop the program that writes it, or copy the database with: sqlite3 ${path} ".backup copy.db"`,
    );
  }
  const bytes = await readFile(path);
  // Bytes 18 and 19 say whether writers use a log (https://www.sqlite.org/fileformat.html#file_format_version_numbers),
  // which this reader cannot open; without one beside it, both forms are the same.
  bytes[18] = 1;
  bytes[19] = 1;
  const folder = await mkdtemp(join(tmpdir(), 'heartline-import-'));
  try {
    const copy = join(folder, 'copy.db');
    await writeFile(copy, bytes, { mode: 0o600 });
    return selectAll(copy, tables, needed);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function selectAll<Name extends string>(
  path: string,
  tables: Readonly<Record<Name, string>>,
  needed: readonly string[],
): Tables<Name> {
  const database = new sqlite.Database(path, { readOnly: true });
  try {
    const master = database.all(`select name from sqlite_master where type = 'table'`);
    const names = master.flatMap(({ name }) => (typeof name === 'string' ? name : []));
    const missing = needed.find((name) => !names.includes(name));
    if (missing !== undefined) throw new Error(`no such table: ${missing}`);
    const entries = Object.entries<string>(tables).map(([key, query]) => [
      key,
      names.includes(tableOf(query)) ? database.all(query) : [],
    ]);
    const read = Object.values<string>(tables).map(tableOf);
    const others = names.filter(
      (name) =>
        !read.includes(name) &&
        !name.startsWith('sqlite_') &&
        database.all(`select 1 from "${name.replaceAll('"', '""')}" limit 1`).length > 0,
    );
    return { rows: Object.fromEntries(entries) as Tables<Name>['rows'], others }; // Every query has its rows.
  } catch (error) {
    throw new FileError(`The database could not be read: ${error instanceof Error ? error.message : error}`);
  } finally {
    database.close();
  }
}

const tableOf = (query: string) => /^select \* from (\w+)/.exec(query)?.[1] ?? '';
