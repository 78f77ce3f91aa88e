import type { ClickHouseClient } from '@clickhouse/client';
import type {
  ResponseRange,
  ResponseTimes,
  ServiceResponseTimes,
} from '../../contract/public/response-times.js';
import { middleOfBucket, roundMs } from '../../lib/figures.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import type { SummaryDeps } from './summary.js';
import { loadSummaryPage, type SummaryPage } from './summary-monitors.js';

/** Length and number of the steps of each range, the last of which is still filling. */
const ranges: Record<ResponseRange, { of: 'hour' | 'day'; steps: number }> = {
  '24h': { of: 'hour', steps: 24 },
  '7d': { of: 'hour', steps: 7 * 24 },
  '30d': { of: 'day', steps: 30 },
  '90d': { of: 'day', steps: 90 },
};
const stepMsOf = { hour: hourMs, day: dayMs };

/** Steps since 1970, `to` exclusive. */
type Window = { of: 'hour' | 'day'; from: number; to: number };

/**
 * Loads the response times of a page's services over a range, as far as the page shows them: within its history, since the
 * day from which it publishes them. Returns `undefined` when the page is gone.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached; an error of the driver of PostgreSQL.
 */
export async function loadResponseTimes(
  { sql, clickhouse, clock }: Pick<SummaryDeps, 'sql' | 'clickhouse' | 'clock'>,
  pageId: PageId,
  range: ResponseRange,
): Promise<ResponseTimes | undefined> {
  const now = clock.now();
  const read = await loadSummaryPage(sql, pageId);
  if (read === undefined) return undefined;
  const window = windowOf(range, read.page, now);
  const measured = await loadMeasured(clickhouse, pageId, window);
  const stepMs = stepMsOf[window.of];
  return {
    slug: read.page.slug,
    range,
    from: new Date(window.from * stepMs).toISOString(),
    to: new Date(window.to * stepMs).toISOString(),
    stepSeconds: stepMs / 1000,
    unfinishedFrom: window.from < window.to ? new Date((window.to - 1) * stepMs).toISOString() : null,
    services: read.monitors.map(({ id, slug, kind }) =>
      describeService(slug, kind === 'heartbeat' ? undefined : measured.get(id), window),
    ),
  };
}

/** A page that begins to publish later than today has an empty window. */
function windowOf(
  range: ResponseRange,
  { historyDays, responseTimesSince }: SummaryPage,
  now: number,
): Window {
  const { of, steps } = ranges[range];
  const stepMs = stepMsOf[of];
  const to = Math.floor(now / stepMs) + 1;
  const firstDay = Math.max(Math.floor(now / dayMs) - historyDays + 1, responseTimesSince);
  return { of, from: Math.min(to, Math.max(to - steps, (firstDay * dayMs) / stepMs)), to };
}

type Measured = { measured: number; sumMs: number; p95Bucket: number | null };
type Row = Measured & {
  monitor: MonitorId;
  points: [step: number, measured: number, sumMs: number, p95Bucket: number | null][];
};

async function loadMeasured(
  clickhouse: ClickHouseClient,
  page: PageId,
  { of, from, to }: Window,
): Promise<Map<MonitorId, Row>> {
  const rows = await loadRows<Row>(clickhouse, of === 'hour' ? hoursQuery : daysQuery, { page, from, to });
  return new Map(rows.map((row) => [row.monitor, row]));
}

/**
 * The bucket of the measurement below or at which 95 % of them are; null unless all of them are in the histogram, which
 * the points of older versions lack.
 */
const p95Of = (buckets: string, measured: string): string => `
  if(arraySum(mapValues(${buckets})) = ${measured}, arrayFirst(
    (bucket, upTo) -> 20 * upTo >= 19 * ${measured},
    mapKeys(mapSort(${buckets})), arrayCumSum(mapValues(mapSort(${buckets})))), NULL)`;

const measuredQuery = (table: string, time: string, bounds: string): string => `
  SELECT monitor, sum(measured_here) AS measured, sum(sum_here) AS sumMs,
    sumMap(buckets) AS all_buckets, ${p95Of('all_buckets', 'measured')} AS p95Bucket,
    groupArray((step, measured_here, sum_here, ${p95Of('buckets', 'measured_here')})) AS points
  FROM (
    SELECT monitor_id AS monitor, ${time} AS step, measured AS measured_here, sum_ms AS sum_here,
      time_buckets AS buckets
    FROM ${table} FINAL
    WHERE page_id = {page:UUID} AND ${bounds} AND measured > 0
  )
  GROUP BY monitor
  SETTINGS do_not_merge_across_partitions_select_final = 1`;

const hoursQuery = measuredQuery(
  'monitor_hours',
  'intDiv(toUnixTimestamp(hour), 3600)',
  "hour >= toDateTime(3600 * {from:UInt32}, 'UTC') AND hour < toDateTime(3600 * {to:UInt32}, 'UTC')",
);
const daysQuery = measuredQuery(
  'monitor_days',
  'toUInt16(day)',
  'day >= toDate({from:UInt16}) AND day < toDate({to:UInt16})',
);

function describeService(slug: string, row: Row | undefined, { from, to }: Window): ServiceResponseTimes {
  const averages = new Array<number | null>(row === undefined ? 0 : to - from).fill(null);
  const percentiles = [...averages];
  for (const [step, measured, sumMs, p95Bucket] of row?.points ?? []) {
    averages[step - from] = roundMs(sumMs / measured);
    percentiles[step - from] = middleOf(p95Bucket);
  }
  return {
    slug,
    averageMs: row === undefined ? null : roundMs(row.sumMs / row.measured),
    p95Ms: row === undefined ? null : middleOf(row.p95Bucket),
    points: { averageMs: averages, p95Ms: percentiles },
  };
}

const middleOf = (bucket: number | null): number | null => (bucket === null ? null : middleOfBucket(bucket));
