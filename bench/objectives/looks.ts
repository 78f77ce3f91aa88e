import { loadGoodAndTotals } from '../../analytics/objectives/good-and-totals.js';
import { burnWindowMinutes } from '../../contract/manage/objective-report.js';
import type { RequestsSli } from '../../contract/manage/objectives.js';
import { newId, type PageId } from '../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { migrate } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { loadReadCost, nameQueries } from '../support/read-cost.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/** Measures a look at the burn rates of many pages at once: all windows of one objective on each. */
const pages = Number(process.argv[2] ?? 1_000);
const services = 3;
const statuses = [200, 500];
const looks = 5;
/** 300,000 rows, which a busy machine takes within the time limit of the client. */
const pagesPerInsert = 10;
const slis: Readonly<Record<string, RequestsSli>> = {
  'all requests of a page': {},
  'one service': { service: 'service-1' },
  'all requests of a page, under 300 ms': { underMs: 300 },
  'one endpoint': { endpoint: '/e/1' },
};

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const sql = openPostgres(databaseUrl);
  await ensureDatabase(clickhouseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await migrate({ sql, clickhouse, log });
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  const ids = Array.from({ length: pages }, (_, i) => newId<PageId>(now + i));
  const rows = await fill(clickhouse, ids, now);
  line(
    `${pages} pages of ${services} services, ${rows.toLocaleString('en')} rows by the minute; a look each 30 s:`,
  );
  const periods = burnWindowMinutes.map((minutes) => ({ from: now - minutes * minuteMs, to: now }));
  for (const [what, sli] of Object.entries(slis)) {
    const named = nameQueries(clickhouse, what);
    const startedAt = performance.now();
    for (let look = 0; look < looks; look += 1) {
      const found = await loadGoodAndTotals(
        named,
        ids.map((pageId) => ({ pageId, sli })),
        periods,
      );
      const [counts] = found;
      if (counts?.some(({ total }) => total === 0)) throw new Error('A look has found nothing.');
    }
    const ms = (performance.now() - startedAt) / looks;
    const cost = await loadReadCost(clickhouse, what);
    line(
      [
        what.padEnd(40),
        `${(cost.queries / looks).toFixed(0)} queries`.padStart(12),
        `${Math.round(cost.rows / looks).toLocaleString('en')} rows`.padStart(18),
        `${(cost.processorMs / looks).toFixed(0)} ms of a core`.padStart(20),
        `${ms.toFixed(0)} ms`.padStart(10),
      ].join(' '),
    );
  }
});

/** Fills the tables that are read, as if each service had answered every minute of three days and a half. */
async function fill(clickhouse: ClickHouseClient, ids: readonly PageId[], now: number): Promise<number> {
  const buckets = "CAST(([3100, 3200, 3300, 3400, 4100], [10, 20, 30, 5, 1]), 'Map(UInt16, UInt64)')";
  const settings = { max_partitions_per_insert_block: '0' };
  const tables = [
    { table: 'service_requests_minute', time: 'minute', stepMs: minuteMs, names: '' },
    { table: 'service_requests_hour', time: 'hour', stepMs: hourMs, names: '' },
    { table: 'requests_minute', time: 'minute', stepMs: minuteMs, names: 'endpoint, method, ' },
    { table: 'requests_hour', time: 'hour', stepMs: hourMs, names: 'endpoint, method, ' },
  ];
  for (let from = 0; from < ids.length; from += pagesPerInsert) {
    for (const { table, time, stepMs, names } of tables) {
      const first = Math.floor((now - 3.5 * dayMs) / stepMs) * stepMs;
      await clickhouse.command({
        query: `INSERT INTO ${table} (page_id, kind, service, ${names}status, ${time}, requests, latency_count, latency_sum_us,
            latency_buckets)
          SELECT arrayJoin({ids:Array(UUID)}), 'service', concat('service-', toString(arrayJoin(range(${services})))),
            ${names === '' ? '' : "'/e/1', 'GET',"}
            arrayJoin(${JSON.stringify(statuses)}::Array(UInt16)), fromUnixTimestamp(toUInt32(${first / 1000} + number * ${stepMs / 1000})),
            66, 66, 9000000, ${buckets}
          FROM numbers(${Math.ceil((now - first) / stepMs)})`,
        query_params: { ids: ids.slice(from, from + pagesPerInsert) },
        clickhouse_settings: settings,
      });
    }
  }
  const result = await clickhouse.query({
    query: 'SELECT toFloat64(count()) AS rows FROM service_requests_minute',
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ rows: number }>();
  return row?.rows ?? 0;
}
