import { ClickHouseError } from '@clickhouse/client';
import type { MonitorId } from '../lib/ids.js';
import { dayMs, hourMs } from '../lib/times.js';
import { importedVersion } from '../sql/measured-day.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';
import { segmentMsMax } from './find-changed-hours.js';
import type { HourRange } from './hour-ranges.js';
import type { Plan } from './plan-points.js';
import { type Span, without } from './spans.js';

/** Longest list of ranges in one statement; a monitor with very many pauses gets a statement of its own. */
const statementCharsMax = 2_000_000;
/** Imported checks may come a thousand per second; a batch that is too large for a query is computed in parts. */
const tooMuch: readonly unknown[] = ['MEMORY_LIMIT_EXCEEDED', 'TIMEOUT_EXCEEDED'];

const bounds = {
  max_execution_time: 25,
  max_memory_usage: '700000000',
  max_bytes_before_external_group_by: '250000000',
  max_bytes_before_external_sort: '250000000',
  max_threads: 2,
  max_query_size: String(2 * statementCharsMax),
  // A partition holds whole months, so rows of one key are never in two partitions.
  do_not_merge_across_partitions_select_final: 1,
} as const;

type Deps = { sql: Sql; clickhouse: ClickHouseClient };

/**
 * Computes the points of a batch of ranges, one per monitor, from all checks and the applied exclusions: first hours,
 * then the days that contain them. The points have the version of the plan; computing them again changes nothing.
 */
export async function computeBatch(
  { sql, clickhouse }: Deps,
  ranges: readonly HourRange[],
  plan: Plan,
): Promise<void> {
  const excluded = await loadExclusions(sql, ranges);
  await computeRanges(clickhouse, ranges, excluded, plan);
}

async function computeRanges(
  clickhouse: ClickHouseClient,
  ranges: readonly HourRange[],
  excluded: ReadonlyMap<MonitorId, Span[]>,
  plan: Plan,
): Promise<void> {
  const literal = rangesLiteral(ranges, excluded);
  const halves = halve(ranges);
  try {
    if (literal.length <= statementCharsMax || halves === undefined) {
      return await writePoints(clickhouse, ranges, literal, plan);
    }
  } catch (error) {
    if (halves === undefined || !(error instanceof ClickHouseError && tooMuch.includes(error.type)))
      throw error;
  }
  for (const half of halves) await computeRanges(clickhouse, half, excluded, plan);
}

/** Halves the monitors, or the hours of a single monitor. Returns `undefined` for a single hour. */
function halve(ranges: readonly HourRange[]): [HourRange[], HourRange[]] | undefined {
  const middle = ranges.length >> 1;
  if (middle > 0) return [ranges.slice(0, middle), ranges.slice(middle)];
  const [range] = ranges;
  if (range === undefined || range.to - range.from < 2) return undefined;
  const hour = (range.from + range.to) >> 1;
  return [[{ ...range, to: hour }], [{ ...range, from: hour }]];
}

async function writePoints(
  clickhouse: ClickHouseClient,
  ranges: readonly HourRange[],
  literal: string,
  plan: Plan,
): Promise<void> {
  const query_params = {
    version: String(plan.version),
    now: plan.now,
    from: Math.min(...ranges.map(({ from }) => from * hourMs)),
    to: Math.max(...ranges.map(({ to }) => to * hourMs)),
    reach: segmentMsMax,
    hour: hourMs,
    day: dayMs,
  };
  for (const query of [hoursStatement(literal), daysStatement(literal)]) {
    await clickhouse.command({ query, query_params, clickhouse_settings: bounds });
  }
}

/** Loads the exclusions by monitor that overlap the time of the batch; they may overlap each other. */
async function loadExclusions(
  sql: Sql,
  ranges: readonly HourRange[],
): Promise<ReadonlyMap<MonitorId, Span[]>> {
  const from = Math.min(...ranges.map((range) => range.from)) * hourMs;
  const to = Math.max(...ranges.map((range) => range.to)) * hourMs;
  const rows = await sql<{ monitor_id: MonitorId; from_ms: number; to_ms: number }[]>`
    select monitor_id, floor(extract(epoch from from_at) * 1000)::float8 as from_ms,
      floor(extract(epoch from to_at) * 1000)::float8 as to_ms
    from applied_exclusions
    where monitor_id = any (${ranges.map(({ monitorId }) => monitorId)}::uuid[])
      and from_at < ${new Date(to)} and to_at > ${new Date(from)}`;
  const excluded = new Map<MonitorId, Span[]>();
  for (const { monitor_id, from_ms, to_ms } of rows) {
    const spans = excluded.get(monitor_id) ?? [];
    spans.push({ from: from_ms, to: to_ms });
    excluded.set(monitor_id, spans);
  }
  return excluded;
}

/**
 * The ranges as JSON of ids and numbers only, which is safe inside a statement. Parameters would travel in the URL, whose
 * length is limited.
 */
function rangesLiteral(
  ranges: readonly HourRange[],
  excluded: ReadonlyMap<MonitorId, readonly Span[]>,
): string {
  return JSON.stringify(
    ranges.map(({ pageId, monitorId, from, to }) => {
      const span = { from: from * hourMs, to: to * hourMs };
      const counted = without(span, excluded.get(monitorId) ?? []);
      return [pageId, monitorId, span.from, span.to, counted.map((part) => [part.from, part.to])];
    }),
  );
}

const rangesQuery = (literal: string): string => `ranges AS (
    SELECT tupleElement(r, 1) AS page_id, tupleElement(r, 2) AS monitor_id, tupleElement(r, 3) AS from_ms,
      tupleElement(r, 4) AS to_ms, tupleElement(r, 5) AS counted
    FROM (SELECT arrayJoin(JSONExtract('${literal}', 'Array(Tuple(UUID, UUID, Int64, Int64, Array(Tuple(Int64, Int64))))')) AS r))`;

const ofRanges = '(page_id, monitor_id) IN (SELECT page_id, monitor_id FROM ranges)';
const columns =
  'page_id, monitor_id, observed_ms, up_ms, degraded_ms, checks, failed, measured, sum_ms, time_buckets, version';

/** Returns the bucket of a response time, as the migration that made the column describes it. */
const bucketOf = (ms: string): string =>
  `toUInt16(bitShiftRight(reinterpretAsUInt32(toFloat32(ifNull(${ms}, 0))), 17))`;

/**
 * A check begins a segment, which ends with the next check, after two intervals, or now. The counted part of each
 * segment is cut into hours. Existing points are written again even where nothing is observed any more. Response times
 * are summed in whole microseconds, because the sum of fractions depends on their order.
 */
const hoursStatement = (literal: string): string => `
  INSERT INTO monitor_hours (hour, ${columns})
  WITH ${rangesQuery(literal)},
  segments AS (
    SELECT page_id, monitor_id, from_ms, counted, toUnixTimestamp64Milli(at) AS start_ms, ok, up, degraded, total_ms,
      least(start_ms + 2000 * toInt64(interval_seconds), start_ms + {reach:Int64}, {now:Int64}, to_ms,
        leadInFrame(start_ms, 1, to_ms) OVER (
          PARTITION BY page_id, monitor_id ORDER BY at ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)) AS end_ms
    FROM (
      SELECT page_id, monitor_id, at, interval_seconds, ok, up, degraded, total_ms FROM checks FINAL
      WHERE ${ofRanges} AND at >= fromUnixTimestamp64Milli({from:Int64} - {reach:Int64}, 'UTC')
        AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND at <= fromUnixTimestamp64Milli({now:Int64}, 'UTC')
    ) AS c
    INNER JOIN ranges USING (page_id, monitor_id)
    WHERE start_ms >= from_ms - {reach:Int64} AND start_ms < to_ms
  ),
  pieces AS (
    SELECT page_id, monitor_id, ok, up, degraded, total_ms,
      arrayJoin(range(
        toUInt64(intDiv(greatest(start_ms, from_ms), {hour:Int64})),
        toUInt64(intDiv(greatest(start_ms, from_ms, end_ms - 1), {hour:Int64}) + 1))) AS hour_number,
      {hour:Int64} * toInt64(hour_number) AS hour_ms,
      arraySum(span -> greatest(0, least(span.2, end_ms, hour_ms + {hour:Int64}) - greatest(span.1, start_ms, hour_ms)),
        counted) AS counted_ms,
      start_ms >= hour_ms AND arrayExists(span -> span.1 <= start_ms AND start_ms < span.2, counted) AS is_counted
    FROM segments
    WHERE start_ms >= from_ms OR end_ms > from_ms
  )
  SELECT toDateTime(3600 * hour_number, 'UTC'), page_id, monitor_id, sum(counted_ms), sumIf(counted_ms, up = 1),
    sumIf(counted_ms, up = 1 AND degraded = 1),
    countIf(is_counted), countIf(is_counted AND ok = 0), countIf(is_counted AND total_ms IS NOT NULL),
    sumIf(toInt64(round(ifNull(total_ms, 0) * 1000)), is_counted) / 1000,
    sumMapIf(map(${bucketOf('total_ms')}, toUInt32(1)), is_counted AND total_ms IS NOT NULL), {version:UInt64}
  FROM (
    SELECT page_id, monitor_id, hour_number, counted_ms, is_counted, ok, up, degraded, total_ms FROM pieces
    UNION ALL
    SELECT page_id, monitor_id, toUInt64(intDiv(toUnixTimestamp(hour), 3600)), 0, false, 0, 0, 0, NULL
    FROM (
      SELECT page_id, monitor_id, hour FROM monitor_hours
      WHERE ${ofRanges} AND hour >= toDateTime(intDiv({from:Int64}, 1000), 'UTC')
        AND hour < toDateTime(intDiv({to:Int64}, 1000), 'UTC')
    ) AS h
    INNER JOIN ranges USING (page_id, monitor_id)
    WHERE 1000 * toInt64(toUnixTimestamp(hour)) >= from_ms AND 1000 * toInt64(toUnixTimestamp(hour)) < to_ms
  )
  GROUP BY page_id, monitor_id, hour_number`;

/**
 * Days that an import has written stay as they are until they have a check of their own: the last check of the day before
 * still stands for some of their time.
 */
const daysStatement = (literal: string): string => `
  INSERT INTO monitor_days (day, ${columns})
  WITH ${rangesQuery(literal)}
  SELECT toDate(hour, 'UTC') AS day, page_id, monitor_id, sum(observed_ms), sum(up_ms), sum(degraded_ms), sum(checks), sum(failed),
    sum(measured), sum(toInt64(round(sum_ms * 1000))) / 1000, sumMap(time_buckets), {version:UInt64}
  FROM (
    SELECT page_id, monitor_id, hour, observed_ms, up_ms, degraded_ms, checks, failed, measured, sum_ms, time_buckets
    FROM monitor_hours FINAL
    WHERE ${ofRanges} AND hour >= toDateTime(toDate(intDiv({from:Int64}, {day:Int64})), 'UTC')
      AND hour < toDateTime(toDate(intDiv({to:Int64} - 1, {day:Int64}) + 1), 'UTC')
  ) AS h
  INNER JOIN ranges USING (page_id, monitor_id)
  WHERE toInt64(toUInt16(day)) BETWEEN intDiv(from_ms, {day:Int64}) AND intDiv(to_ms - 1, {day:Int64})
  GROUP BY page_id, monitor_id, day
  HAVING sum(checks) > 0 OR (page_id, monitor_id, day) NOT IN (
    SELECT page_id, monitor_id, day FROM monitor_days FINAL
    WHERE ${ofRanges} AND day >= toDate(intDiv({from:Int64}, {day:Int64}))
      AND day <= toDate(intDiv({to:Int64} - 1, {day:Int64})) AND version = ${importedVersion})`;
