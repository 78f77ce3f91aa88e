import { parentPort, workerData } from 'node:worker_threads';
import sqlite from 'node-sqlite3-wasm';

/** A request to the thread: `tables` are queries by names; see readSqlite(). */
export type SqliteStart = {
  path: string;
  tables: Readonly<Record<string, string>>;
  needed: readonly string[];
  rowsMax: number;
  valueBytesMax: number;
};

type Row = Record<string, unknown>;
export type SqliteRead = { rows: Record<string, Row[]>; others: string[] } | { error: string };

/** The table that a query reads. */
export const tableOf = (query: string) => /^select \* from (\w+)/.exec(query)?.[1] ?? '';

// Nothing starts where the thread is imported for the function above.
if (parentPort !== null && workerData !== null) {
  const start: SqliteStart = workerData; // readSqlite() starts it with such a request.
  parentPort.postMessage(read(start));
}

function read(start: SqliteStart): SqliteRead {
  const database = new sqlite.Database(start.path, { readOnly: true });
  try {
    return selectAll(database, start);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    database.close();
  }
}

function selectAll(database: sqlite.Database, { tables, needed, rowsMax, valueBytesMax }: SqliteStart) {
  // SQLite itself says what each is: anybody may have written the column type of sqlite_schema.
  const listed = database.all(`select name, type from pragma_table_list where schema = 'main'`);
  const types = new Map(listed.map(({ name, type }) => [String(name), String(type)]));
  const missing = needed.find((name) => !types.has(name));
  if (missing !== undefined) throw new Error(`no such table: ${missing}`);
  let bytesLeft = valueBytesMax;

  function take(query: string): Row[] {
    const table = tableOf(query);
    const type = types.get(table);
    if (type === undefined) return [];
    // A view and a virtual table compute their rows, and may have no last one.
    if (type !== 'table') throw new Error(`${table} is no table but of the kind ${type}`);
    const statement = database.prepare(`${query} limit ${rowsMax + 1}`);
    const rows: Row[] = [];
    try {
      for (const row of statement.iterate()) {
        rows.push(row);
        bytesLeft -= Object.values(row).reduce((sum: number, value) => sum + bytesOf(value), 0);
        if (rows.length > rowsMax) throw new Error(`${table} has more than ${rowsMax} rows`);
        if (bytesLeft < 0) throw new Error(`its rows have more than ${valueBytesMax} bytes`);
      }
      return rows;
    } finally {
      statement.finalize();
    }
  }

  const rows = Object.fromEntries(Object.entries(tables).map(([key, query]) => [key, take(query)]));
  const read = Object.values(tables).map(tableOf);
  const others = [...types].flatMap(([name, type]) =>
    type === 'table' && !read.includes(name) && !name.startsWith('sqlite_') ? [name] : [],
  );
  return { rows, others: others.filter((name) => hasRows(database, name)) };
}

function hasRows(database: sqlite.Database, table: string): boolean {
  return database.all(`select 1 from "${table.replaceAll('"', '""')}" limit 1`).length > 0;
}

function bytesOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}
