import type { PageId } from '../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** `service-0`, `service-1` and so on; each has the endpoint `/e/1`. */
export const servicesPerPage = 3;
const statuses = [200, 500];
/** 300,000 rows, which a busy machine takes within the time limit of the client. */
const pagesPerInsert = 10;

/** Fills the tables that are read, as if each service had answered every minute of three days and a half. */
export async function fillRequests(
  clickhouse: ClickHouseClient,
  ids: readonly PageId[],
  now: number,
): Promise<number> {
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
          SELECT arrayJoin({ids:Array(UUID)}), 'service', concat('service-', toString(arrayJoin(range(${servicesPerPage})))),
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

/** Fills the table of reports, as if each service had reported every minute of an hour. */
export async function fillReports(
  clickhouse: ClickHouseClient,
  ids: readonly PageId[],
  now: number,
): Promise<void> {
  for (let from = 0; from < ids.length; from += pagesPerInsert) {
    await clickhouse.command({
      query: `INSERT INTO reports (page_id, kind, service, minute, calls, last_report_at)
        SELECT arrayJoin({ids:Array(UUID)}), 'service', concat('service-', toString(arrayJoin(range(${servicesPerPage})))),
          fromUnixTimestamp(toUInt32(${now / 1000} - number * 60)) AS at, 1, at
        FROM numbers(60)`,
      query_params: { ids: ids.slice(from, from + pagesPerInsert) },
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    });
  }
}
