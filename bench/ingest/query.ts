import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { parseEventFilters } from '../../analytics/event-filters.js';
import { loadRequests } from '../../analytics/requests.js';
import { newId, type PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { migrate } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { fillDays as days, fillRollups } from '../support/fill.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

const endpoints = 2_000;
const services = 20;
const rowsPerMinute = 1_000;
const runs = 9;
const pageId = newId<PageId>(Date.now());

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const sql = openPostgres(databaseUrl, { max: 1 });
  await ensureDatabase(clickhouseUrl);
  // Merging twenty million rows into one part a day takes longer than any timeout of the service.
  const clickhouse = createClient({
    url: clickhouseUrl,
    request_timeout: 900_000,
    log: { level: ClickHouseLogLevel.OFF },
  });
  await migrate({ sql, clickhouse, log: { debug() {}, info() {}, warn() {}, error() {} } });
  // The two weeks end today at midnight, so that nothing expires meanwhile.
  const end = Math.floor(Date.now() / dayMs) * dayMs + dayMs;
  await fillRollups(clickhouse, pageId, { rowsPerMinute, endpoints, services });
  await report(clickhouse);
  await measure(clickhouse, 'p50/p95/p99 by endpoint, top 20, 24 h', {
    from: end - dayMs,
    to: end,
    stepSeconds: 86_400,
    filters: {},
    groupBy: 'endpoint',
    ...{ limit: 20, now: end },
  });
  await measure(clickhouse, 'one service, 14 days at one-hour steps', {
    from: end - days * dayMs,
    to: end,
    stepSeconds: 3_600,
    filters: parseEventFilters({ service: 'service-7' }),
    groupBy: null,
    ...{ limit: 20, now: end },
  });
  await measure(clickhouse, 'the whole page, 14 days at one-hour steps', {
    from: end - days * dayMs,
    to: end,
    stepSeconds: 3_600,
    filters: {},
    groupBy: null,
    ...{ limit: 20, now: end },
  });
  await measure(clickhouse, 'the whole page, 24 h at one-minute steps', {
    from: end - dayMs,
    to: end,
    stepSeconds: 60,
    filters: {},
    groupBy: null,
    ...{ limit: 20, now: end },
  });
  await clickhouse.close();
  await sql.end();
});

async function report(clickhouse: ClickHouseClient): Promise<void> {
  for (const table of [
    'requests_minute',
    'requests_hour',
    'service_requests_minute',
    'service_requests_hour',
    'page_requests_minute',
    'page_requests_hour',
    'endpoint_requests_day',
  ]) {
    await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    const result = await clickhouse.query({
      query: `SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
              WHERE active AND database = currentDatabase() AND table = {table:String}`,
      query_params: { table },
      format: 'JSONEachRow',
    });
    const [size] = await result.json<{ rows: string; bytes: string }>();
    const [rows, bytes] = [Number(size?.rows), Number(size?.bytes)];
    line(
      `${table}: ${(rows / 1e6).toFixed(2)} M rows, ${(bytes / 1e6).toFixed(0)} MB, ${(((bytes / rows) * 1e6) / 1e6).toFixed(1)} MB per million rows`,
    );
  }
}

type Query = Parameters<typeof loadRequests>[2];

async function measure(clickhouse: ClickHouseClient, name: string, query: Query): Promise<void> {
  const times: number[] = [];
  const since = Date.now();
  for (let run = 0; run <= runs; run += 1) {
    const startedAt = performance.now();
    const answer = await loadRequests({ clickhouse }, pageId, query);
    if (answer.series.length === 0) throw new Error('The query returned no series.');
    if (run > 0) times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const rowsRead = (await loadRows(clickhouse, since)) / (runs + 1);
  const inMinutes = await countMinuteRows(clickhouse, query);
  line(
    `${name}: median ${times[runs >> 1]?.toFixed(0)} ms, worst ${times.at(-1)?.toFixed(0)} ms of ${runs}; ` +
      `${Math.round(rowsRead)} rows read, 1/${(inMinutes / rowsRead).toFixed(0)} of the ${inMinutes} in the minute table`,
  );
}

async function loadRows(clickhouse: ClickHouseClient, since: number): Promise<number> {
  await clickhouse.command({ query: 'SYSTEM FLUSH LOGS' });
  const result = await clickhouse.query({
    query: `SELECT sum(read_rows) AS rows FROM system.query_log WHERE type = 'QueryFinish' AND is_initial_query
            AND event_time_microseconds >= fromUnixTimestamp64Milli({since:Int64}) AND arrayExists(name -> name LIKE '%requests_%', tables) AND query NOT LIKE 'INSERT%'`,
    query_params: { since },
    format: 'JSONEachRow',
  });
  return Number((await result.json<{ rows: string }>())[0]?.rows);
}

async function countMinuteRows(clickhouse: ClickHouseClient, { from, to, filters }: Query): Promise<number> {
  const result = await clickhouse.query({
    query: `SELECT count() AS rows FROM requests_minute WHERE page_id = {page:UUID} AND minute >= toDateTime({from:UInt32}, 'UTC')
            AND minute < toDateTime({to:UInt32}, 'UTC') ${filters.service === undefined ? '' : 'AND service IN {services:Array(String)}'}`,
    query_params: {
      page: pageId,
      from: from / 1000,
      to: to / 1000,
      services: filters.service?.services ?? [],
    },
    format: 'JSONEachRow',
  });
  return Number((await result.json<{ rows: string }>())[0]?.rows);
}
