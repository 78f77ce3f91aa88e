import type { Test } from 'tap';
import { openPageSql } from '../../analytics/sql/open-page-sql.js';
import { type PageSqlDeps, runPageSql } from '../../analytics/sql/run-sql.js';
import { systemClock } from '../../lib/clock.js';
import { newId, type PageId } from '../../lib/ids.js';
import { sqlUserPassword } from '../../lib/secrets/secret-box.js';
import { ServiceError } from '../../lib/service-error.js';
import { confineSqlUser } from '../../sql/confine-sql-user.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { openTestClickHouse } from '../support/stores.js';

export function newPageId(): PageId {
  return newId<PageId>(Date.now());
}

/** The fields of a row of the landing table that a test cares about. */
export type LandingRow = {
  kind?: 'service' | 'reporter';
  service?: string;
  endpoint?: string;
  method?: string;
  status?: number;
  /** Milliseconds since the epoch of the minute. */
  at: number;
  requests?: number;
  latencyMs?: readonly number[];
  message?: string;
  version?: string;
};

/** Rows of counted requests; each value of `latencyMs` is one request's. */
export async function insertRequests(
  clickhouse: ClickHouseClient,
  pageId: PageId,
  rows: readonly LandingRow[],
): Promise<void> {
  await clickhouse.insert({
    table: 'landing_blocks',
    format: 'JSONEachRow',
    values: rows.map((row) => ({
      page_id: pageId,
      kind: row.kind ?? 'service',
      service: row.service ?? 'api',
      endpoint: row.endpoint ?? '/orders/:id',
      method: row.method ?? 'GET',
      status: row.status ?? 200,
      minute: Math.floor(row.at / 60_000) * 60,
      requests: row.requests ?? row.latencyMs?.length ?? 1,
      latency_count: row.latencyMs?.length ?? 0,
      latency_sum_us: Math.round((row.latencyMs ?? []).reduce((sum, ms) => sum + ms, 0) * 1000),
      latency_values_ms: row.latencyMs ?? [],
      latency_weights: (row.latencyMs ?? []).map(() => 1),
      message: row.message ?? '',
      version: row.version ?? '',
      message_at: clickhouseTime(row.at),
      reported_at: clickhouseTime(row.at),
    })),
  });
}

function clickhouseTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 23).replace('T', ' ');
}

/** A source that called at these times. */
export async function insertReports(
  clickhouse: ClickHouseClient,
  pageId: PageId,
  source: { kind: 'service' | 'reporter'; service: string },
  times: readonly number[],
): Promise<void> {
  await insertRequests(
    clickhouse,
    pageId,
    times.map((at) => ({ ...source, endpoint: '', method: '', status: 0, at })),
  );
}

/** Runs for as long as SQL may: it joins a lot without reading a lot. */
export const slowSql =
  'SELECT sum(cityHash64(a.number, b.number)) FROM numbers(10000000) AS a, numbers(100000) AS b';

export type TestPageSql = {
  clickhouse: ClickHouseClient;
  clickhouseUrl: string;
  pageSql: PageSqlDeps;
  /** Rows that a page's query gives; throws as runPageSql does. */
  rowsOf(pageId: PageId, sql: string): Promise<Record<string, unknown>[]>;
};

/** ClickHouse with the confined user of the tests' secret key. */
export async function openTestPageSql(t: Test): Promise<TestPageSql> {
  const { clickhouse, clickhouseUrl } = await openTestClickHouse(t);
  const pageSql = openPageSql({ clickhouse, clickhouseUrl, secretKey: testSecretKey, clock: systemClock });
  t.teardown(() => pageSql.sqlClient.close());
  if (process.env['CLICKHOUSE_URL']) {
    await confineSqlUser(
      { clickhouse },
      { database: pageSql.database, password: sqlUserPassword(testSecretKey) },
    );
  }
  return {
    clickhouse,
    clickhouseUrl,
    pageSql,
    async rowsOf(pageId, sql) {
      const result = await runPageSql(pageSql, pageId, { sql, format: 'JSONEachRow' });
      const lines = result.toString().split('\n');
      return lines.filter((line) => line !== '').map((line): Record<string, unknown> => JSON.parse(line));
    },
  };
}

/** The ServiceError that a promise is rejected with; anything else is thrown on. */
export async function refusalOf(promise: Promise<unknown>): Promise<ServiceError | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
