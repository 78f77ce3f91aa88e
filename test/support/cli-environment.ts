import type { TestClickHouse, TestPostgres } from './stores.js';

/** Returns the environment in which commands use the stores of a test. */
export function environmentFor(stores: Partial<TestPostgres & TestClickHouse>): Record<string, string> {
  return {
    HEARTLINE_SECRET_KEY: 'a secret of forty characters for the tests',
    // Nothing listens on port 1: a command that needs the other store fails.
    DATABASE_URL: stores.databaseUrl ?? 'postgres://nobody@127.0.0.1:1/none',
    CLICKHOUSE_URL: stores.clickhouseUrl ?? 'http://127.0.0.1:1/none',
  };
}
