import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { secondMs } from '../../lib/times.js';
import { FileError } from '../apply/read-file.js';
import { abortOnSignal } from '../core/abort-on-signal.js';
import { UsageError } from '../core/errors.js';
import { readStart, withFile } from '../core/read-bounded.js';
import { withCopy } from './sqlite-copy.js';
import type { SqliteRead, SqliteStart } from './sqlite-thread.js';

const magic = Buffer.from('SQLite format 3\0');

/** Bounds of a read; the usual ones are those below. */
export type SqliteBounds = {
  fileBytesMax: number;
  rowsMax: number;
  valueBytesMax: number;
  timeoutMs: number;
};

/**
 * A database with years of checks has some gigabytes, and a few hundred rows that are read; they take less than a second.
 * The thread of a hostile one ends by itself, at the deadline, or when its heap is full.
 */
const usualBounds: SqliteBounds = {
  fileBytesMax: 8 * 1024 ** 3,
  rowsMax: 100_000,
  valueBytesMax: 128 * 1024 ** 2,
  timeoutMs: 60 * secondMs,
};
const threadMemoryMb = 1_024;

/** Whether a file is a database of SQLite. @throws as withFile() */
export function isSqlite(path: string): Promise<boolean> {
  return withFile(path, usualBounds.fileBytesMax, async (file) =>
    (await readStart(file, magic.length)).equals(magic),
  );
}

/** Rows of the tables that were asked for, and the names of the other tables that have rows. */
export type Tables<Name extends string> = { rows: Record<Name, Record<string, unknown>[]>; others: string[] };

/**
 * Reads tables of a database of SQLite from a copy, so that its program may go on. One that the version of the program does
 * not have is empty. SIGINT and SIGTERM end the read, and the copy with it.
 *
 * @param tables their queries, by names; each begins with `select * from TABLE`
 * @param needed without which it is a database of something else
 * @throws UsageError for a database whose newest changes are in a log beside it
 * @throws FileError for what cannot be read within the bounds, and for one without the tables that are needed
 */
export async function readSqlite<Name extends string>(
  path: string,
  tables: Readonly<Record<Name, string>>,
  needed: readonly string[],
  bounds: SqliteBounds = usualBounds,
): Promise<Tables<Name>> {
  const log = await stat(`${path}-wal`).catch(() => undefined);
  if (log !== undefined && log.size > 0) {
    throw new UsageError(
      `The newest changes are in ${path}-wal. Stop the program that writes it, or copy the database with: sqlite3 ${path} ".backup copy.db"`,
    );
  }
  await withFile(path, bounds.fileBytesMax, async () => {});
  const { rowsMax, valueBytesMax, timeoutMs } = bounds;
  const read = await abortOnSignal('The import was interrupted.', (signal) =>
    withCopy(path, (copy) => {
      const start = { path: copy, tables, needed, rowsMax, valueBytesMax };
      return readInThread(start, signal, timeoutMs);
    }),
  );
  if ('error' in read) throw new FileError(`The database could not be read: ${read.error}.`);
  return read as Tables<Name>; // The thread has rows for each of the queries.
}

/**
 * A query of SQLite cannot be stopped on the thread that runs it. Rejects with the reason of the signal. The deadline is a
 * timer, because Node.js 20 may collect a signal of AbortSignal.timeout() that AbortSignal.any() alone refers to.
 */
async function readInThread(
  workerData: SqliteStart,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<SqliteRead> {
  signal.throwIfAborted();
  const thread = new Worker(new URL('./sqlite-thread.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
  });
  let deadline: NodeJS.Timeout | undefined;
  try {
    return await new Promise<SqliteRead>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      const late = { error: `its rows take longer than ${timeoutMs / secondMs} s` };
      deadline = setTimeout(() => resolve(late), timeoutMs);
      thread.once('message', resolve);
      thread.once('error', (error) =>
        resolve({ error: error instanceof Error ? error.message : String(error) }),
      );
    });
  } finally {
    clearTimeout(deadline);
    await thread.terminate();
  }
}
