import Type, { type Static } from 'typebox';
import type { PageId } from '../../lib/ids.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import type { StoredBuckets } from './latency-histogram.js';

/** Requests of a service or reporter to an endpoint in one minute. */
export type MinuteFigures = {
  kind: string;
  service: string;
  endpoint: string;
  requests: number;
  errors: number;
  latencySumUs: number;
  latencies: StoredBuckets;
};

/** Series of a scrape; the figures of smaller ones are added up. */
export const seriesMax = 1_000;
/** Senders report every few seconds, and a block reaches the store within two. */
const lateMs = 15 * secondMs;

const bucketsMax = 65_536;
const figures = {
  requests: columns.count,
  errors: columns.count,
  latencySumUs: columns.count,
  buckets: Type.Array(Type.Integer({ minimum: 0, maximum: bucketsMax - 1 }), { maxItems: bucketsMax }),
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
  const shown = rows.slice(0, seriesMax).map((row) => ({ ...row, latencies: pairsOf(row) }));
  if (rows.length <= seriesMax) return shown;
  const [total] = await loadEventRows(clickhouse, rowTypes.total, {
    query: `SELECT ${columnsOf('service_requests_minute')}`,
    parameters,
    rowsMax: 1,
  });
  return total === undefined ? shown : [...shown, remainderOf(total, shown)];
}

/**
 * The columns of a query, up to its WHERE. A sketch of response times is read as it is stored: behind its length, two
 * bytes for each bucket and eight for its count.
 */
function columnsOf(table: string): string {
  const state = 'CAST(quantilesBFloat16WeightedArrayMergeState(0.5, 0.95, 0.99)(latency_sketch) AS String)';
  const each = (read: string): string => `arrayMap(i -> ${read}, range(intDiv(length(${state}), 10)))`;
  const at = (from: number, bytes: number): string =>
    `substring(${state}, length(${state}) % 10 + 10 * i + ${from}, ${bytes})`;
  return `sum(m.requests) AS requests, sumIf(m.requests, status >= 500) AS errors,
       sum(latency_sum_us) AS latencySumUs,
       ${each(`reinterpretAsUInt16(${at(1, 2)})`)} AS buckets,
       ${each(`reinterpretAsUInt64(${at(3, 8)})`)} AS counts
     FROM ${table} AS m
     WHERE page_id = {page:UUID} AND minute = toDateTime({minute:UInt32}, 'UTC')`;
}

function pairsOf({ buckets, counts }: Figures): StoredBuckets {
  return buckets.map((bucket, i) => [bucket, counts[i] ?? 0] as const);
}

/** More events may have come between the two queries: nothing is less than 0. */
function remainderOf(total: Figures, shown: readonly MinuteFigures[]): MinuteFigures {
  const left = new Map(pairsOf(total));
  for (const { latencies } of shown) {
    for (const [bucket, count] of latencies) left.set(bucket, (left.get(bucket) ?? 0) - count);
  }
  const rest = (of: (one: Pick<MinuteFigures, 'requests' | 'errors' | 'latencySumUs'>) => number): number =>
    Math.max(0, of(total) - shown.reduce((sum, one) => sum + of(one), 0));
  return {
    ...{ kind: 'other', service: 'other', endpoint: 'other' },
    requests: rest(({ requests }) => requests),
    errors: rest(({ errors }) => errors),
    latencySumUs: rest(({ latencySumUs }) => latencySumUs),
    latencies: [...left].filter(([, count]) => count > 0),
  };
}
