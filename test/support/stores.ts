import type { Test } from 'tap';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { lendDatabase, makeEmptyDatabase } from './shared-databases.js';

export type TestPostgres = { sql: Sql; databaseUrl: string };
export type TestClickHouse = { clickhouse: ClickHouseClient; clickhouseUrl: string };

/**
 * Opens both stores, migrated and empty, until the test ends. They are databases on the two servers of the run, or on
 * those that DATABASE_URL and CLICKHOUSE_URL name.
 */
export async function openStores(t: Test): Promise<TestPostgres & TestClickHouse> {
  const [postgres, clickhouse] = await Promise.all([openTestPostgres(t), openTestClickHouse(t)]);
  return { ...postgres, ...clickhouse };
}

/** Opens PostgreSQL alone, migrated. */
export async function openTestPostgres(t: Test): Promise<TestPostgres> {
  return connectPostgres(t, await lendDatabase(t, 'postgres'));
}

/** Opens ClickHouse alone, migrated. */
export async function openTestClickHouse(t: Test): Promise<TestClickHouse> {
  return connectClickHouse(t, await lendDatabase(t, 'clickhouse'));
}

/** Opens a PostgreSQL without tables, for this test alone. */
export async function openEmptyPostgres(t: Test): Promise<TestPostgres> {
  return connectPostgres(t, await makeEmptyDatabase(t, 'postgres'));
}

/** Opens a ClickHouse without tables, for this test alone. */
export async function openEmptyClickHouse(t: Test): Promise<TestClickHouse> {
  return connectClickHouse(t, await makeEmptyDatabase(t, 'clickhouse'));
}

function connectPostgres(t: Test, databaseUrl: string): TestPostgres {
  const sql = openPostgres(databaseUrl);
  t.teardown(() => sql.end({ timeout: 5 }));
  return { sql, databaseUrl };
}

function connectClickHouse(t: Test, clickhouseUrl: string): TestClickHouse {
  const clickhouse = openClickHouse(clickhouseUrl);
  t.teardown(() => clickhouse.close());
  return { clickhouse, clickhouseUrl };
}
