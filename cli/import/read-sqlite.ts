import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { UsageError } from '../core/errors.js';

const magic = Buffer.from('SQLite format 3\0');

/** Whether these are the bytes of a database of SQLite. */
export const isSqlite = (bytes: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

/**
 * Reads rows of a database of SQLite from a copy, so that its program may go on.
 *
 * @param queries by the names of their results
 * @throws UsageError for a database whose newest changes are in a log beside it, and for one without the tables
 */
export async function readSqlite<Name extends string>(
  path: string,
  queries: Readonly<Record<Name, string>>,
): Promise<Record<Name, Record<string, unknown>[]>> {
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
    return selectAll(copy, queries);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function selectAll<Name extends string>(
  path: string,
  queries: Readonly<Record<Name, string>>,
): Record<Name, Record<string, unknown>[]> {
  const database = new sqlite.Database(path, { readOnly: true });
  try {
    const entries = Object.entries<string>(queries).map(([name, query]) => [name, database.all(query)]);
    return Object.fromEntries(entries) as Record<Name, Record<string, unknown>[]>; // Every query has its rows.
  } catch (error) {
    throw new UsageError(`The database could not be read: ${error instanceof Error ? error.message : error}`);
  } finally {
    database.close();
  }
}
