import Type, { type Static } from 'typebox';
import type { PageId } from '../../lib/ids.js';
import type { LatencyCounts } from '../../lib/latency-buckets.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';

/** Requests of a service or reporter to an endpoint in one minute. */
export type MinuteFigures = {
  kind: string;
  service: string;
  endpoint: string;
  requests: number;
  errors: number;
  latencySumUs: number;
  latencies: LatencyCounts;
};

/** Series of a scrape; the figures of smaller ones are added up. */
export const seriesMax = 1_000;
/** Senders report every few seconds, and a block reaches the store within two. */
const lateMs = 15 * secondMs;

/** More than there are keys from 0 to a day. */
const bucketsMax = 1_000;
const keyMax = 65_535;
const figures = {
  requests: columns.count,
  errors: columns.count,
  latencySumUs: columns.count,
  keys: Type.Array(Type.Integer({ minimum: 0, maximum: keyMax }), { maxItems: bucketsMax }),
  counts: Type.Array(columns.count, { maxItems: bucketsMax }),
};
const EndpointRow = Row({ kind: columns.kind, service: columns.text, endpoint: columns.text, ...figures });
const TotalRow = Row(figures);
type Figures = Static<typeof TotalRow>;
const rowTypes = { endpoint: rowType(EndpointRow), total: rowType(TotalRow) };

/** Start of the last minute that ended 15 s ago, in milliseconds since the epoch. */
export function lastCompleteMinute(now: number): number {
  return Math.floor((now - lateMs) / minuteMs) * minuteMs - minuteMs;
}

/**
 * Loads what a page counted in a minute: the 1,000 pairs of service and endpoint with the most requests, and everything
 * else as one more of the service and endpoint `other`.
 *
 * @throws ServiceError `storeUnavailable`, `sqlTooExpensive`; OwnStoreError.
 */
export async function loadMinute(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  minute: number,
): Promise<MinuteFigures[]> {
  const parameters = { page: pageId, minute: minute / 1000 };
  const rows = await loadEventRows(clickhouse, rowTypes.endpoint, {
    query: `SELECT kind, service, endpoint, ${columnsOf('requests_minute')}
     GROUP BY kind, service, endpoint
     ORDER BY requests DESC, kind, service, endpoint LIMIT {limit:UInt32}`,
    parameters: { ...parameters, limit: seriesMax + 1 },
    rowsMax: seriesMax + 1,
  });
  const shown = rows
    .slice(0, seriesMax)
    .map(({ keys, counts, ...row }) => ({ ...row, latencies: { keys, counts } }));
  if (rows.length <= seriesMax) return shown;
  const [total] = await loadEventRows(clickhouse, rowTypes.total, {
    query: `SELECT ${columnsOf('service_requests_minute')}`,
    parameters,
    rowsMax: 1,
  });
  return total === undefined ? shown : [...shown, remainderOf(total, shown)];
}

/** Returns the columns of a query and what follows them, up to its WHERE. */
function columnsOf(table: string): string {
  return `sum(m.requests) AS requests, sumIf(m.requests, status >= 500) AS errors,
       sum(latency_sum_us) AS latencySumUs,
       mapKeys(sumMap(latency_buckets) AS merged) AS keys, mapValues(merged) AS counts
     FROM ${table} AS m
     WHERE page_id = {page:UUID} AND minute = toDateTime({minute:UInt32}, 'UTC')`;
}

/** More events may have come between the two queries: nothing is less than 0. */
function remainderOf(total: Figures, shown: readonly MinuteFigures[]): MinuteFigures {
  const left = new Map(total.keys.map((key, i) => [key, total.counts[i] ?? 0]));
  for (const { latencies } of shown) {
    for (const [i, key] of latencies.keys.entries())
      left.set(key, (left.get(key) ?? 0) - (latencies.counts[i] ?? 0));
  }
  const latencies = [...left].filter(([, count]) => count > 0);
  const rest = (of: (one: Pick<MinuteFigures, 'requests' | 'errors' | 'latencySumUs'>) => number): number =>
    Math.max(0, of(total) - shown.reduce((sum, one) => sum + of(one), 0));
  return {
    ...{ kind: 'other', service: 'other', endpoint: 'other' },
    requests: rest(({ requests }) => requests),
    errors: rest(({ errors }) => errors),
    latencySumUs: rest(({ latencySumUs }) => latencySumUs),
    latencies: { keys: latencies.map(([key]) => key), counts: latencies.map(([, count]) => count) },
  };
}
