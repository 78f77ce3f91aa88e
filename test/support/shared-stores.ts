import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { startPostgres } from '../../stack/postgres.js';
import { silentLog } from './silent-log.js';
import { clickhouseOptions, clickhouseTemplate, postgresTemplate } from './store-template.js';
import { temporaryFolder } from './temporary-folder.js';

type Owner = Pick<Test, 'teardown'>;
type Server = { url: string; stop(): Promise<void> };

/** How a kind of store is started, described and emptied. */
type Kind = {
  start(owner: Owner): Promise<Server>;
  /** The schema and the record of migrations as a text: what a test may have changed beside the rows. */
  describe(url: string): Promise<string>;
  /** Deletes all rows but the record of migrations. */
  empty(url: string): Promise<void>;
};

/**
 * A migrated store that the files of a slot use in turn. Each lease begins with empty tables.
 */
class SharedStore {
  readonly #kind: Kind;
  readonly #owner: Owner;
  #server: (Server & { schema: string }) | undefined;
  #isLeased = false;

  constructor(owner: Owner, kind: Kind) {
    this.#owner = owner;
    this.#kind = kind;
  }

  /** The address of the store until the test ends; `undefined` while another test has it. */
  async lease(t: Test): Promise<string | undefined> {
    if (this.#isLeased) return undefined;
    this.#isLeased = true;
    t.teardown(() => {
      this.#isLeased = false;
    });
    this.#server = (await this.#reuse()) ?? (await this.#start());
    return this.#server.url;
  }

  async #start() {
    const server = await this.#kind.start(this.#owner);
    return { ...server, schema: await this.#kind.describe(server.url) };
  }

  /** Returns `undefined` when there is no store yet, or a test left another schema in it. */
  async #reuse() {
    const server = this.#server;
    if (server === undefined) return undefined;
    if ((await this.#kind.describe(server.url)) === server.schema) {
      await this.#kind.empty(server.url);
      return server;
    }
    await server.stop();
    return undefined;
  }
}

const postgres: Kind = {
  async start(owner) {
    const templateDir = await postgresTemplate('migrated');
    const dir = join(await temporaryFolder(owner), 'postgres');
    const server = await startPostgres({ dir, templateDir, shortLived: true, log: silentLog });
    owner.teardown(() => server.stop());
    return server;
  },
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
  empty: (url) =>
    withPostgres(url, async (sql) => {
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
    }),
};

const clickhouse: Kind = {
  async start(owner) {
    const dir = join(await temporaryFolder(owner), 'clickhouse');
    cpSync(await clickhouseTemplate(), dir, { recursive: true });
    const server = await startClickHouse(clickhouseOptions(dir));
    owner.teardown(() => server.stop());
    return server;
  },
  describe: (url) =>
    withClickHouse(url, async (client) => {
      const tables = await rowsOf(
        client,
        `SELECT database, name, create_table_query FROM system.tables
         WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') ORDER BY database, name`,
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
};

type SharedStores = { postgres: SharedStore; clickhouse: SharedStore };

let shared: SharedStores | undefined;

/** From now on the test files of this process share one store of each kind, which end with the owner. */
export function shareStores(owner: Owner): void {
  shared = { postgres: new SharedStore(owner, postgres), clickhouse: new SharedStore(owner, clickhouse) };
}

/** The address of the shared store, emptied, until the test ends; `undefined` where none is free. */
export async function leaseStore(t: Test, kind: keyof SharedStores): Promise<string | undefined> {
  return shared?.[kind].lease(t);
}

async function withPostgres<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
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
