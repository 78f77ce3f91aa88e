import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { migrate, migrateClickHouse, migratePostgres } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { startTestClickHouse, startTestPostgres } from './embedded-stores.js';
import { silentLog } from './silent-log.js';
import type { TemplateKind } from './store-template.js';

export type TestPostgres = { sql: Sql; databaseUrl: string };
export type TestClickHouse = { clickhouse: ClickHouseClient; clickhouseUrl: string };

/**
 * Opens both stores, migrated and empty, until the test ends. They are embedded, or new databases on the servers that
 * DATABASE_URL and CLICKHOUSE_URL name. In a slot, the files use the embedded stores in turn.
 */
export async function openStores(t: Test): Promise<TestPostgres & TestClickHouse> {
  const [postgres, clickhouse] = await Promise.all([
    openPostgresDatabase(t, 'migrated'),
    openClickHouseDatabase(t, 'migrated'),
  ]);
  await migrate({ sql: postgres.sql, clickhouse: clickhouse.clickhouse, log: silentLog });
  return { ...postgres, ...clickhouse };
}

/** Opens PostgreSQL alone, migrated. */
export async function openTestPostgres(t: Test): Promise<TestPostgres> {
  const postgres = await openPostgresDatabase(t, 'migrated');
  await migratePostgres({ sql: postgres.sql, log: silentLog });
  return postgres;
}

/** Opens ClickHouse alone, migrated. */
export async function openTestClickHouse(t: Test): Promise<TestClickHouse> {
  const clickhouse = await openClickHouseDatabase(t, 'migrated');
  await migrateClickHouse({ clickhouse: clickhouse.clickhouse, log: silentLog });
  return clickhouse;
}

/** Opens a PostgreSQL without tables, for this test alone. */
export function openEmptyPostgres(t: Test): Promise<TestPostgres> {
  return openPostgresDatabase(t, 'empty');
}

async function openPostgresDatabase(t: Test, schema: TemplateKind): Promise<TestPostgres> {
  const databaseUrl = await makePostgresDatabase(t, schema);
  const sql = openPostgres(databaseUrl);
  t.teardown(() => sql.end({ timeout: 5 }));
  return { sql, databaseUrl };
}

/** Opens a ClickHouse without tables, for this test alone. */
export function openEmptyClickHouse(t: Test): Promise<TestClickHouse> {
  return openClickHouseDatabase(t, 'empty');
}

async function openClickHouseDatabase(t: Test, schema: TemplateKind): Promise<TestClickHouse> {
  const clickhouseUrl = await makeClickHouseDatabase(t, schema);
  const clickhouse = openClickHouse(clickhouseUrl);
  t.teardown(() => clickhouse.close());
  return { clickhouse, clickhouseUrl };
}

/** A database on a given server is always created without tables: the migrations take 0.1 s there. */
async function makePostgresDatabase(t: Test, schema: TemplateKind): Promise<string> {
  const serverUrl = process.env['DATABASE_URL'];
  if (!serverUrl) return startTestPostgres(t, schema);
  const server = openPostgres(serverUrl, { max: 1 });
  const name = newDatabaseName();
  await server`create database ${server(name)}`;
  t.teardown(async () => {
    await server`drop database ${server(name)} with (force)`;
    await server.end({ timeout: 5 });
  });
  return withDatabase(serverUrl, name);
}

async function makeClickHouseDatabase(t: Test, schema: TemplateKind): Promise<string> {
  const serverUrl = process.env['CLICKHOUSE_URL'];
  if (!serverUrl) return startTestClickHouse(t, schema);
  const name = newDatabaseName();
  const clickhouseUrl = withDatabase(serverUrl, name);
  await ensureDatabase(clickhouseUrl);
  t.teardown(async () => {
    const server = openClickHouse(serverUrl, { max: 1 });
    await server.command({ query: `DROP DATABASE ${name}` });
    await server.close();
  });
  return clickhouseUrl;
}

function newDatabaseName(): string {
  return `heartline_test_${process.pid}_${randomBytes(4).toString('hex')}`;
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
