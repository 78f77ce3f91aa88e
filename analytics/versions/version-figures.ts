import Type, { type Static } from 'typebox';
import type { PageId } from '../../lib/ids.js';
import { type LatencyCounts, percentileOf } from '../../lib/latency-buckets.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';

/** Counts of a version, or of a service in a step of time. */
export type Counted = { requests: number; errors: number; latencySumUs: number; latencies: LatencyCounts };

/** A version in an environment; an empty one is none. */
export type VersionName = { version: string; environment: string };

/** Counts of a version over hours: the first and the last with requests, in milliseconds since the epoch. */
export type VersionCounts = VersionName & Counted & { recent: number; firstHour: number; lastHour: number };

/** From a whole hour or minute to any time, in milliseconds since the epoch. */
export type Hours = { from: number; to: number };

/** More than there are keys from 0 to a day. */
const bucketsMax = 1_000;
/** A service has 20 versions at a time; a day of continuous deployment has some more. */
const versionsMax = 500;
const keyMax = 65_535;
const counted = {
  requests: columns.count,
  errors: columns.count,
  latencySumUs: columns.count,
  keys: Type.Array(Type.Integer({ minimum: 0, maximum: keyMax }), { maxItems: bucketsMax }),
  counts: Type.Array(columns.count, { maxItems: bucketsMax }),
};
const VersionRow = Row({
  ...{ version: columns.text, environment: columns.text, ...counted },
  ...{ recent: columns.count, firstHour: columns.timeMs, lastHour: columns.timeMs },
});
const ServiceRow = Row({ requests: columns.count, recent: columns.count });
const StepRow = Row({ step: columns.count, ...counted });
const rowTypes = { version: rowType(VersionRow), service: rowType(ServiceRow), step: rowType(StepRow) };

const merged = `mapKeys(sumMap(latency_buckets) AS merged) AS keys, mapValues(merged) AS counts`;

/**
 * Loads what each version of a service counted in these hours, those with the most requests first; `recent` is the part
 * from another hour on. `only` leaves one version.
 */
export async function loadVersionCounts(
  { clickhouse }: { clickhouse: EventReader },
  { pageId, service, hours, recentFrom, only }: Asked & { recentFrom: number; only?: VersionName },
): Promise<VersionCounts[]> {
  const rows = await loadEventRows(clickhouse, rowTypes.version, {
    query: `SELECT version, environment, sum(v.requests) AS requests, sum(v.errors) AS errors,
       sum(latency_sum_us) AS latencySumUs, ${merged},
       sumIf(v.requests, hour >= toDateTime({recentFrom:UInt32}, 'UTC')) AS recent,
       1000 * toInt64(toUnixTimestamp(min(hour))) AS firstHour,
       1000 * toInt64(toUnixTimestamp(max(hour))) AS lastHour
     FROM version_requests_hour AS v
     WHERE page_id = {page:UUID} AND service = {service:String} AND ${inHours}
       ${only === undefined ? '' : 'AND version = {version:String} AND environment = {environment:String}'}
     GROUP BY version, environment ORDER BY requests DESC, version, environment LIMIT {limit:UInt32}`,
    parameters: {
      ...{ page: pageId, service, ...seconds(hours), recentFrom: recentFrom / 1000, limit: versionsMax },
      ...only,
    },
    rowsMax: versionsMax,
  });
  return rows.map(({ keys, counts, ...row }) => ({ ...row, latencies: { keys, counts } }));
}

type Asked = { pageId: PageId; service: string; hours: Hours };

/** Loads the requests of a service in these hours, whatever their version; `recent` is the part from another hour on. */
export async function loadServiceCounts(
  { clickhouse }: { clickhouse: EventReader },
  { pageId, service, hours, recentFrom }: Asked & { recentFrom: number },
): Promise<Static<typeof ServiceRow>> {
  const [row] = await loadEventRows(clickhouse, rowTypes.service, {
    query: `SELECT sum(s.requests) AS requests,
       sumIf(s.requests, hour >= toDateTime({recentFrom:UInt32}, 'UTC')) AS recent
     FROM service_requests_hour AS s
     WHERE page_id = {page:UUID} AND kind = 'service' AND service = {service:String} AND ${inHours}`,
    parameters: { page: pageId, service, ...seconds(hours), recentFrom: recentFrom / 1000 },
    rowsMax: 1,
  });
  return row ?? { requests: 0, recent: 0 };
}

/** Loads what a service counted in steps of so many seconds from a minute on; a step without requests is missing. */
export async function loadServiceSteps(
  { clickhouse }: { clickhouse: EventReader },
  { pageId, service, hours, stepSeconds }: Asked & { stepSeconds: number },
): Promise<(Counted & { step: number })[]> {
  const rows = await loadEventRows(clickhouse, rowTypes.step, {
    query: `SELECT intDiv(toUnixTimestamp(minute) - {from:UInt32}, {stepSeconds:UInt32}) AS step,
       sum(m.requests) AS requests, sumIf(m.requests, status >= 500) AS errors,
       sum(latency_sum_us) AS latencySumUs, ${merged}
     FROM service_requests_minute AS m
     WHERE page_id = {page:UUID} AND kind = 'service' AND service = {service:String}
       AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
     GROUP BY step ORDER BY step`,
    parameters: { page: pageId, service, ...seconds(hours), stepSeconds },
    rowsMax: Math.ceil((hours.to - hours.from) / 1000 / stepSeconds),
  });
  return rows.map(({ keys, counts, ...row }) => ({ ...row, latencies: { keys, counts } }));
}

const inHours = `hour >= toDateTime({from:UInt32}, 'UTC') AND hour < toDateTime({to:UInt32}, 'UTC')`;

const seconds = ({ from, to }: Hours) => ({ from: from / 1000, to: Math.ceil(to / 1000) });

/** The figures of counts; times in milliseconds, null where nothing was measured. */
export function figuresOf({ requests, errors, latencySumUs, latencies }: Counted) {
  const measured = latencies.counts.reduce((sum, count) => sum + count, 0);
  const at = (rank: number): number | null => {
    const ms = percentileOf(latencies, rank);
    return ms === undefined ? null : rounded(ms);
  };
  return {
    requests,
    errors,
    failureRate: requests === 0 ? null : errors / requests,
    averageMs: measured === 0 ? null : rounded(latencySumUs / 1000 / measured),
    ...{ p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) },
  };
}

/** To a microsecond, which is the least that is stored. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
