import { isMeasuredDay } from '../../sql/measured-day.js';
import type { Span } from '../spans.js';

/** Rows that one statement may read. */
const rowsMax = 20_000_000;
const settings = `SETTINGS do_not_merge_across_partitions_select_final = 1, max_rows_to_read = ${rowsMax}`;

/** The columns that all statements answer, from the columns of a subquery. */
const figures = `
  SELECT step, observed AS observedMs, up AS upMs, checks_here AS checks, failed_here AS failed,
    measured_here AS measured, sum_here AS sumMs, [${percentileOf(50)}, ${percentileOf(95)}, ${percentileOf(99)}] AS buckets`;

/**
 * The bucket of the measurement below or at which so many percent of them are; null unless all of them are in the
 * histogram, which the points of older versions lack.
 */
function percentileOf(percent: number): string {
  return `if(measured_here > 0 AND arraySum(mapValues(all_buckets)) = measured_here, arrayFirst(
    (bucket, up_to) -> 100 * up_to >= ${percent} * measured_here,
    mapKeys(all_buckets), arrayCumSum(mapValues(all_buckets))), NULL)`;
}

/** Sums the points of hours or days. `time` is the start of a point in seconds. */
const pointsStatement = (table: string, time: string, bounds: string): string => `${figures}
  FROM (
    SELECT intDiv(${time}, {step:UInt32}) AS step, sum(p.observed_ms) AS observed, sum(p.up_ms) AS up,
      sum(p.checks) AS checks_here, sum(p.failed) AS failed_here, sum(p.measured) AS measured_here,
      sum(p.sum_ms) AS sum_here, mapSort(sumMap(p.time_buckets)) AS all_buckets
    FROM ${table} AS p FINAL
    WHERE page_id = {page:UUID} AND monitor_id = {monitor:UUID} AND ${bounds}
    GROUP BY step
  )
  ${settings}`;

export const hoursStatement = pointsStatement(
  'monitor_hours',
  'toUnixTimestamp(hour)',
  "hour >= toDateTime(intDiv({from:Int64}, 1000), 'UTC') AND hour < toDateTime(intDiv({to:Int64}, 1000), 'UTC')",
);

export const daysStatement = pointsStatement(
  'monitor_days',
  '86400 * toUInt32(toUInt16(day))',
  `day >= toDate(intDiv({from:Int64}, 86400000)) AND day < toDate(intDiv({to:Int64}, 86400000)) AND ${isMeasuredDay}`,
);

/**
 * Computes from checks the same as compute-batch.ts does for hours, for steps of any length: a check begins a segment, which
 * ends with the next check, after two intervals, or now, and the counted part of each segment is cut into steps.
 * `counted` are the spans outside maintenance and pauses; all times are in milliseconds since the epoch.
 */
export const checksStatement = (counted: readonly Span[]): string => `
  WITH CAST([${counted.map(({ from, to }) => `(${from}, ${to})`).join(', ')}] AS Array(Tuple(Int64, Int64))) AS counted,
  1000 * {step:Int64} AS step_length,
  segments AS (
    SELECT toUnixTimestamp64Milli(at) AS start_ms, ok, up, total_ms,
      least(start_ms + 2000 * toInt64(interval_seconds), start_ms + {reach:Int64}, {now:Int64}, {to:Int64},
        leadInFrame(start_ms, 1, {to:Int64}) OVER (ORDER BY at ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)) AS end_ms
    FROM (
      SELECT at, interval_seconds, ok, up, total_ms FROM checks FINAL
      WHERE page_id = {page:UUID} AND monitor_id = {monitor:UUID}
        AND at >= fromUnixTimestamp64Milli({from:Int64} - {reach:Int64}, 'UTC')
        AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND at <= fromUnixTimestamp64Milli({now:Int64}, 'UTC')
    )
  ),
  pieces AS (
    SELECT ok, up, total_ms,
      arrayJoin(range(
        toUInt64(intDiv(greatest(start_ms, {from:Int64}), step_length)),
        toUInt64(intDiv(greatest(start_ms, {from:Int64}, end_ms - 1), step_length) + 1))) AS step_number,
      step_length * toInt64(step_number) AS step_ms,
      arraySum(span -> greatest(0,
        least(span.2, end_ms, step_ms + step_length) - greatest(span.1, start_ms, step_ms)), counted) AS counted_ms,
      start_ms >= step_ms AND arrayExists(span -> span.1 <= start_ms AND start_ms < span.2, counted) AS is_counted
    FROM segments
    WHERE start_ms >= {from:Int64} OR end_ms > {from:Int64}
  )
  ${figures}
  FROM (
    SELECT step_number AS step, sum(counted_ms) AS observed, sumIf(counted_ms, p.up = 1) AS up,
      countIf(is_counted) AS checks_here, countIf(is_counted AND ok = 0) AS failed_here,
      countIf(is_counted AND total_ms IS NOT NULL) AS measured_here,
      sumIf(toInt64(round(ifNull(total_ms, 0) * 1000)), is_counted) / 1000 AS sum_here,
      mapSort(sumMapIf(map(${bucketOf}, toUInt32(1)), is_counted AND total_ms IS NOT NULL)) AS all_buckets
    FROM pieces AS p
    GROUP BY step_number
  )
  ${settings}`;

/** The bucket of a response time, as the migration that made the column describes it. */
const bucketOf = 'toUInt16(bitShiftRight(reinterpretAsUInt32(toFloat32(ifNull(total_ms, 0))), 17))';
