import type { ClickHouseClient } from '@clickhouse/client';
import {
  type DatabaseHealthAnswer,
  databaseHealthLimits,
  longestBucket,
  type PoolPoint,
} from '../contract/database-health.js';
import { limits } from '../contract/limits.js';
import { acquisitionBoundsMs } from '../contract/pool-reports.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, keptSteps } from '../lib/kept.js';
import { stepsOf } from '../lib/steps.js';
import { loadRows } from '../sql/load-rows.js';
import { type Condition, columnOf, conditionOf, type DatabaseHealthQuery } from './query.js';

const buckets = [...acquisitionBoundsMs.map((bound) => `acquired_${bound}ms`), 'acquired_longer'];

/** The counts of all buckets, as an expression over rows of `pools_minute`; null where none was measured. */
export const acquisitionCounts = `[${buckets.map((bucket) => `sum(${bucket})`).join(', ')}]`;

type Group = string | null;
type StepRow = Pick<PoolPoint, 'failures' | 'created' | 'closed' | 'peakWaiting'> & {
  group: Group;
  step: number;
  /** Counts of the buckets, all null when no interval measured acquisitions. */
  counts: (number | null)[];
  sumUs: number | null;
  capacityBusy: number | null;
  capacityMaximum: number | null;
  partialIntervals: number;
};

/**
 * Loads the figures of pools per step, by group, over all processes. Merges histograms before it takes a percentile.
 * Every step of the range has a point; the figures of a step without a report, or that begins before what is kept, are
 * null.
 */
export async function loadPoolSeries(
  { clickhouse }: { clickhouse: ClickHouseClient },
  pageId: PageId,
  query: DatabaseHealthQuery,
): Promise<Pick<DatabaseHealthAnswer, 'series' | 'truncated'>> {
  const source = sourceOf(pageId, query);
  const groups = await loadGroups(clickhouse, source, query);
  const shown = groups.slice(0, query.limit);
  const rows = shown.length === 0 ? [] : await loadSteps(clickhouse, source, query, shown);
  const byGroup = new Map<Group, Map<number, StepRow>>(shown.map((group) => [group, new Map()]));
  for (const row of rows) byGroup.get(row.group)?.set(row.step, row);
  return {
    series: shown.map((group) => ({ group, points: toPoints(query, byGroup.get(group)) })),
    truncated: groups.length > query.limit,
  };
}

/** Returns the condition for the minutes of a range whose pools pass the filters. */
export function sourceOf(
  pageId: PageId,
  { from, to, filters }: Pick<DatabaseHealthQuery, 'from' | 'to' | 'filters'>,
): Condition {
  const { where, parameters } = conditionOf(pageId, filters);
  return {
    where: `${where} AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')`,
    parameters: { ...parameters, from: from / 1000, to: to / 1000 },
  };
}

/** Loads the groups with the most acquisitions, one more than the limit. */
async function loadGroups(
  clickhouse: ClickHouseClient,
  { where, parameters }: Condition,
  { groupBy, limit }: DatabaseHealthQuery,
): Promise<Group[]> {
  if (groupBy === null) return [null];
  const acquisitions = buckets.map((bucket) => `sum(${bucket})`).join(' + ');
  const rows = await loadRows<{ group: Group }>(
    clickhouse,
    `SELECT ${columnOf(groupBy)} AS group FROM pools_minute WHERE ${where}
     GROUP BY group ORDER BY ${acquisitions} DESC NULLS LAST, group LIMIT {limit:UInt32}`,
    { ...parameters, limit: limit + 1 },
  );
  return rows.map(({ group }) => group);
}

async function loadSteps(
  clickhouse: ClickHouseClient,
  { where, parameters }: Condition,
  { groupBy, stepSeconds }: DatabaseHealthQuery,
  groups: readonly Group[],
): Promise<StepRow[]> {
  const column = groupBy === null ? 'NULL' : columnOf(groupBy);
  const among = groupBy === null ? '' : `AND ${column} IN {groups:Array(String)}`;
  return loadRows<StepRow>(
    clickhouse,
    `SELECT
       ${column} AS group,
       intDiv(toUnixTimestamp(minute), {step:UInt32}) AS step,
       ${acquisitionCounts} AS counts,
       sum(acquisition_sum_us) AS sumUs,
       sum(p.failures) AS failures,
       sum(p.created) AS created,
       sum(p.closed) AS closed,
       max(peak_waiting) AS peakWaiting,
       sum(capacity_busy) AS capacityBusy,
       sum(capacity_maximum) AS capacityMaximum,
       sum(partial_intervals) AS partialIntervals
     FROM pools_minute AS p WHERE ${where} ${among}
     GROUP BY group, step`,
    { ...parameters, step: stepSeconds, ...(groupBy !== null && { groups }) },
  );
}

function toPoints(query: DatabaseHealthQuery, rows: ReadonlyMap<number, StepRow> | undefined): PoolPoint[] {
  const { first } = stepsOf(query);
  return keptSteps(query, keptAt(query.now, limits.eventRetentionDays)).map((isKept, i) => {
    const at = new Date((first + i) * query.stepSeconds * 1000).toISOString();
    const row = isKept ? rows?.get(first + i) : undefined;
    return row === undefined ? { at, ...nothing } : { at, ...toFigures(row) };
  });
}

const nothing: Omit<PoolPoint, 'at'> = {
  acquisitions: null,
  averageMs: null,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  failures: null,
  created: null,
  closed: null,
  peakWaiting: null,
  utilisation: null,
  coverage: null,
  thin: true,
};

function toFigures(row: StepRow): Omit<PoolPoint, 'at'> {
  const counts = row.counts.filter((count) => count !== null);
  const acquisitions = counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
  const { failures, created, closed, peakWaiting } = row;
  return {
    acquisitions,
    averageMs: ratio(row.sumUs, acquisitions, (us) => Math.round(us) / 1000),
    p50Ms: bucketPercentile(counts, 50),
    p95Ms: bucketPercentile(counts, 95),
    p99Ms: bucketPercentile(counts, 99),
    failures,
    created,
    closed,
    peakWaiting,
    utilisation: ratio(row.capacityBusy, row.capacityMaximum, (share) => Math.round(share * 1e4) / 1e4),
    coverage: row.partialIntervals > 0 ? 'partial' : 'complete',
    thin: (acquisitions ?? 0) < databaseHealthLimits.thinAcquisitions,
  };
}

/** Returns null when a part is unknown, or when there is nothing to divide by. */
function ratio(part: number | null, of: number | null, round: (value: number) => number): number | null {
  return part === null || of === null || of === 0 ? null : round(part / of);
}

/**
 * Returns the upper bound, in milliseconds, of the bucket that holds a percentile by nearest rank: of n durations in
 * order, the duration number ⌈n · percent / 100⌉. Returns null when there are no durations.
 *
 * @param counts of the buckets, each merged over all intervals first.
 * @param percent a whole number, so that the rank is exact.
 */
export function bucketPercentile(
  counts: readonly number[],
  percent: number,
): number | typeof longestBucket | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.ceil((total * percent) / 100);
  let upTo = 0;
  const bucket = counts.findIndex((count) => {
    upTo += count;
    return upTo >= rank;
  });
  return acquisitionBoundsMs[bucket] ?? longestBucket;
}
