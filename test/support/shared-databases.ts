import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { migrateClickHouse, migratePostgres } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { startTestClickHouse, startTestPostgres } from './embedded-stores.js';
import { askForStore, type StoreKind } from './run-stores.js';
import { silentLog } from './silent-log.js';

/** A database on a server of the run, or on the one that the environment names. */
type Database = { url: string; drop(): Promise<void> };

/** How a kind of database is made, described and emptied. */
type Kind = {
  make(t: Test, schema: 'empty' | 'migrated'): Promise<Database>;
  migrate(url: string): Promise<void>;
  /** Returns the schema and the record of migrations as a text: what a test may have changed beside the rows. */
  describe(url: string): Promise<string>;
  /** Deletes all rows but the record of migrations. Does nothing and returns false when the schema is another one. */
  empty(url: string, schema: string): Promise<boolean>;
  /** Drops all tables. */
  clear(url: string): Promise<void>;
};

/** Migrated databases that no test of this process uses, with their schema. Making one takes 0.2 to 0.4 s. */
const free: Record<StoreKind, { url: string; schema: string }[]> = { postgres: [], clickhouse: [] };

/** The ClickHouse of this process for databases without tables. */
let shared: Promise<string> | undefined;

function anyEngine(t: Test): Promise<string> {
  const external = process.env['CLICKHOUSE_URL'];
  shared ??= external ? Promise.resolve(external) : borrowEngine(t);
  return shared;
}

async function borrowEngine(t: Test): Promise<string> {
  return (await askForStore('clickhouse')) ?? (await startTestClickHouse(t));
}

/** Lends a migrated database without rows until the test ends. The tests of a process use it one after another. */
export async function lendDatabase(t: Test, kind: StoreKind): Promise<string> {
  const lent = (await reuse(kind)) ?? (await makeMigrated(t, kind));
  t.teardown(() => void free[kind].push(lent));
  return lent.url;
}

/** Makes a database without tables, for this test alone. */
export async function makeEmptyDatabase(t: Test, kind: StoreKind): Promise<string> {
  const { url, drop } = await kinds[kind].make(t, 'empty');
  t.teardown(drop);
  return url;
}

async function makeMigrated(t: Test, kind: StoreKind) {
  const { url } = await kinds[kind].make(t, 'migrated');
  await kinds[kind].migrate(url);
  return { url, schema: await kinds[kind].describe(url) };
}

/** Returns `undefined` when none is free. Recreates one whose schema a test has changed. */
async function reuse(kind: StoreKind) {
  const next = free[kind].pop();
  if (next === undefined || (await kinds[kind].empty(next.url, next.schema))) return next;
  await kinds[kind].clear(next.url);
  await kinds[kind].migrate(next.url);
  return next;
}

const kinds: Record<StoreKind, Kind> = {
  postgres: {
    async make(t) {
      const serverUrl =
        process.env['DATABASE_URL'] || (await askForStore('postgres')) || (await startTestPostgres(t));
      const name = newName();
      await withPostgres(serverUrl, (sql) => sql`create database ${sql(name)}`);
      const drop = () => withPostgres(serverUrl, (sql) => sql`drop database ${sql(name)} with (force)`);
      return { url: withName(serverUrl, name), drop: async () => void (await drop()) };
    },
    migrate: (url) => withPostgres(url, (sql) => migratePostgres({ sql, log: silentLog })),
    describe: (url) => withPostgres(url, describePostgres),
    empty: (url, schema) =>
      withPostgres(url, async (sql) => {
        if ((await describePostgres(sql)) !== schema) return false;
        await emptyPostgres(sql);
        return true;
      }),
    async clear(url) {
      const name = new URL(url).pathname.slice(1);
      await withPostgres(withName(url, 'postgres'), async (sql) => {
        await sql`drop database ${sql(name)} with (force)`;
        await sql`create database ${sql(name)}`;
      });
    },
  },
  clickhouse: {
    async make(t, schema) {
      // The user for the SQL of pages sees the database in the URL of an embedded server, and no other.
      const isItsOwn = schema === 'migrated' && !process.env['CLICKHOUSE_URL'];
      const server = await (isItsOwn ? borrowEngine(t) : anyEngine(t));
      const url = isItsOwn ? server : withName(server, newName());
      await ensureDatabase(url);
      const name = new URL(url).pathname.slice(1);
      const drop = (client: ClickHouseClient) => client.command({ query: `DROP DATABASE ${name} SYNC` });
      return { url, drop: async () => void (await withClickHouse(server, drop)) };
    },
    migrate: (url) => withClickHouse(url, (clickhouse) => migrateClickHouse({ clickhouse, log: silentLog })),
    describe: (url) => withClickHouse(url, describeClickHouse),
    empty: (url, schema) =>
      withClickHouse(url, async (client) => {
        if ((await describeClickHouse(client)) !== schema) return false;
        await emptyClickHouse(client);
        return true;
      }),
    async clear(url) {
      await withClickHouse(withName(url, 'default'), async (client) => {
        await client.command({ query: `DROP DATABASE ${new URL(url).pathname.slice(1)} SYNC` });
      });
      await ensureDatabase(url);
    },
  },
};

/** Hashes columns and migrations on the server, which takes a third of the time that it takes to send them. */
async function describePostgres(sql: Sql): Promise<string> {
  const [row] = await sql<{ schema: string }[]>`
    select md5(string_agg(concat_ws(' ', c.relname, c.relkind, a.attname, a.atttypid, a.attnotnull, c.relhastriggers),
        ',' order by c.relname, a.attnum))
      || (select md5(string_agg(concat_ws(' ', number, name, checksum), ',' order by number)) from migrations) as schema
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace`;
  return row?.schema ?? '';
}

/**
 * Without triggers, so that no order is needed and the audit log lets go. Small tables are deleted from: to truncate one
 * makes new files for it and its indexes.
 */
async function emptyPostgres(sql: Sql): Promise<void> {
  const tables = await sql<{ name: string; isLarge: boolean }[]>`
    select relname as name, pg_relation_size(oid) > 1000000 as "isLarge" from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'`;
  const statements = tables.map(({ name, isLarge }) =>
    isLarge ? `truncate "${name}" cascade;` : `delete from "${name}";`,
  );
  await sql.unsafe(
    `set session_replication_role = replica; ${statements.join(' ')} set session_replication_role = origin`,
  );
  await sql`select setval(seqrelid, seqstart, false) from pg_sequence`;
}

async function describeClickHouse(client: ClickHouseClient): Promise<string> {
  const query = `
    SELECT concat(
      (SELECT hex(MD5(arrayStringConcat(arraySort(groupArray(create_table_query)), ';')))
       FROM system.tables WHERE database = currentDatabase()),
      (SELECT hex(MD5(toString(arraySort(groupArray((number, name, checksum)))))) FROM migrations))`;
  const [row] = await rowsOf(client, query);
  return row?.[0] ?? '';
}

async function emptyClickHouse(client: ClickHouseClient): Promise<void> {
  const filled = await rowsOf(
    client,
    `SELECT name FROM system.tables
     WHERE database = currentDatabase() AND total_rows > 0 AND engine LIKE '%MergeTree' AND name != 'migrations'`,
  );
  for (const [name] of filled) await client.command({ query: `TRUNCATE TABLE ${name}` });
}

async function withPostgres<T>(url: string, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = openPostgres(url, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function withClickHouse<T>(url: string, work: (client: ClickHouseClient) => Promise<T>): Promise<T> {
  const client = openClickHouse(url, { max: 1 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function rowsOf(client: ClickHouseClient, query: string): Promise<string[][]> {
  return (await client.query({ query, format: 'JSONCompactEachRow' })).json<string[]>();
}

function newName(): string {
  return `heartline_test_${process.pid}_${randomBytes(4).toString('hex')}`;
}

function withName(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
