import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { socketOf } from './open-postgres.js';

/** The tables of a database as files, one a table, in the text format of COPY. */
export type CopiedTables = {
  tables: readonly { name: string; columns: readonly string[] }[];
  /** The last number of each sequence; `null` when none was taken. */
  sequences: readonly { name: string; value: string | null }[];
};

type CopyOptions = {
  /** Folder of the files. */
  folder: string;
  /** An abort ends the copy after the table, with the reason of the signal. */
  signal: AbortSignal;
  /** Called with the bytes that were copied of a table. */
  onCopied(bytes: number): void;
};

/**
 * Writes every table of a database to `<folder>/<table>.copy` as it is at one moment: one transaction reads all of them
 * from one snapshot, while others write. The format is the same in every version of PostgreSQL.
 */
export function copyTablesOut(url: string, { folder, signal, onCopied }: CopyOptions): Promise<CopiedTables> {
  return connected(url, (sql) =>
    sql.begin('isolation level repeatable read read only', async (tx) => {
      const tables = await tx<{ name: string; columns: string[] }[]>`
        select c.relname as name,
          array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        group by c.relname order by c.relname`;
      for (const table of tables) {
        const rows = await tx.unsafe(`copy ${target(table)} to stdout`).readable();
        const file = createWriteStream(fileOf(folder, table), privately);
        // The driver pauses its socket while the file is slower, and does not resume it when the rows end meanwhile.
        await flow(sql, [rows, counting(onCopied), file]).finally(() => rows._read(0));
        signal.throwIfAborted();
      }
      const sequences = await tx<{ name: string; value: string | null }[]>`
        select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public'`;
      return { tables: [...tables], sequences: [...sequences] };
    }),
  );
}

/** Replaces the rows of all tables of a database, which has the same schema, by the rows of the files. */
export async function copyTablesIn(
  url: string,
  { tables, sequences }: CopiedTables,
  { folder, signal, onCopied }: CopyOptions,
): Promise<void> {
  await connected(url, (sql) =>
    sql.begin(async (tx) => {
      // Triggers ran and foreign keys were checked when the rows were written.
      await tx`set local session_replication_role = replica`;
      if (tables.length > 0) await tx`truncate ${tx(tables.map(({ name }) => name))}`;
      for (const table of tables) {
        const rows = await tx.unsafe(`copy ${target(table)} from stdin`).writable();
        await flow(sql, [createReadStream(fileOf(folder, table)), counting(onCopied), rows]);
        signal.throwIfAborted();
      }
      for (const { name } of tables) await renumber(tx, name);
      for (const { name, value } of sequences) {
        if (value !== null) await tx`select setval(${name}::regclass, ${value}::bigint)`;
      }
    }),
  );
}

const privately = { flags: 'wx', mode: 0o600 };

function fileOf(folder: string, { name }: { name: string }): string {
  return join(folder, `${name}.copy`);
}

function target({ name, columns }: CopiedTables['tables'][number]): string {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  return `${quoted(name)} (${columns.map(quoted).join(', ')})`;
}

function counting(onCopied: (bytes: number) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onCopied(chunk.length);
      done(null, chunk);
    },
  });
}

/**
 * Sets numbers of transactions to the number of this one: another server counts its own, and a row that seems to change in the
 * future would count as changed at each look.
 */
async function renumber(tx: postgres.TransactionSql, table: string): Promise<void> {
  const columns = await tx<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and atttypid = 'xid8'::regtype and attnum > 0 and not attisdropped`;
  for (const { name } of columns) await tx`update ${tx(table)} set ${tx(name)} = pg_current_xact_id()`;
}

/** Copies a table. When a file fails, the connection ends at once: the driver would wait for the rest of the rows. */
async function flow(
  sql: postgres.Sql,
  [from, counter, to]: [NodeJS.ReadableStream, Transform, NodeJS.WritableStream],
): Promise<void> {
  try {
    await pipeline(from, counter, to);
  } catch (error) {
    failures.set(sql, error);
    await sql.end({ timeout: 0 });
    throw error;
  }
}

/** Errors of files by the connection that they ended, in place of the driver's error about that end. */
const failures = new WeakMap<postgres.Sql, unknown>();

/** Opens a connection of its own: the pools of the service have bounds of time, and no COPY. */
async function connected<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { ...socketOf(url), max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } catch (error) {
    throw failures.get(sql) ?? error;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
