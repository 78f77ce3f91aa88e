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
  /** The schema and the record of migrations as a text: what a test may have changed beside the rows. */
  describe(url: string): Promise<string>;
  /** Deletes all rows but the record of migrations. */
  empty(url: string): Promise<void>;
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

/** Returns `undefined` when none is free. Passes over those in which a test has left another schema. */
async function reuse(kind: StoreKind) {
  for (let next = free[kind].pop(); next !== undefined; next = free[kind].pop()) {
    if ((await kinds[kind].describe(next.url)) !== next.schema) continue;
    await kinds[kind].empty(next.url);
    return next;
  }
  return undefined;
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
    describe: (url) =>
      withPostgres(url, async (sql) => {
        const columns = await sql`
          select n.nspname, c.relname, c.relkind, a.attname, a.atttypid::int, a.attnotnull, c.relhastriggers
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
          left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
          where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
          order by n.nspname, c.relname, a.attnum`;
        const migrations = await sql`select number, name, checksum from migrations order by number`;
        return JSON.stringify([columns, migrations]);
      }),
    empty: (url) => withPostgres(url, emptyPostgres),
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
    describe: (url) =>
      withClickHouse(url, async (client) => {
        const tables = await rowsOf(
          client,
          `SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() ORDER BY name`,
        );
        const migrations = await rowsOf(
          client,
          'SELECT number, name, checksum FROM migrations ORDER BY number',
        );
        return JSON.stringify([tables, migrations]);
      }),
    empty: (url) =>
      withClickHouse(url, async (client) => {
        const filled = await rowsOf(
          client,
          `SELECT name FROM system.tables
           WHERE database = currentDatabase() AND total_rows > 0 AND engine LIKE '%MergeTree' AND name != 'migrations'`,
        );
        for (const [name] of filled) await client.command({ query: `TRUNCATE TABLE ${name}` });
      }),
  },
};

async function emptyPostgres(sql: Sql): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'`;
  const looks = tables.map(({ name }) => `select '${name}' as name where exists (select from "${name}")`);
  const filled = await sql.unsafe<{ name: string }[]>(looks.join(' union all '));
  if (filled.length > 0) {
    await sql.begin(async (tx) => {
      // The audit log refuses to be emptied.
      await tx`alter table if exists audit_log disable trigger audit_log_keep`;
      await tx`truncate ${tx(filled.map(({ name }) => name))} cascade`;
      await tx`alter table if exists audit_log enable trigger audit_log_keep`;
    });
  }
  await sql`select setval(seqrelid, seqstart, false) from pg_sequence`;
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
