import type { MonitorId, PageId } from '../../lib/ids.js';
import { hourMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import { importedVersion } from '../../sql/measured-day.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { segmentMsMax } from '../find-changed-hours.js';
import { type Span, without } from '../spans.js';

type Deps = { sql: Sql; clickhouse: ClickHouseClient };

/** A monitor of a page. */
export type MonitorOf = { pageId: PageId; monitorId: MonitorId };

/** Time that was observed outside maintenance and pauses, and the part of it that was up, in milliseconds. */
export type ObservedTime = { good: number; total: number };

/** The job that computes hours is a minute behind, or more when no instance ran; these come from checks. */
const freshHours = 2;

/** Returns the whole hours of a period that are read from points, and what is left at its ends, for checks. */
function splitHours({ from, to }: Span, now: number): { hours: Span | undefined; edges: Span[] } {
  const settled = Math.floor(now / hourMs) * hourMs - (freshHours - 1) * hourMs;
  const hours = {
    from: Math.ceil(from / hourMs) * hourMs,
    to: Math.min(Math.floor(to / hourMs) * hourMs, settled),
  };
  if (hours.from >= hours.to) return { hours: undefined, edges: from < to ? [{ from, to }] : [] };
  const edges = [
    { from, to: hours.from },
    { from: hours.to, to },
  ];
  return { hours, edges: edges.filter((edge) => edge.from < edge.to) };
}

type SumsRow = { monitor: MonitorId; observed: number[]; up: number[] };

/**
 * Reads the observed time of monitors over the same periods, in the order of both. Whole hours come from points, the ends
 * of the periods from checks, with the same arithmetic; what has not been observed counts as neither up nor down. All times
 * are in milliseconds since the epoch.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long.
 */
export async function readObserved(
  { sql, clickhouse }: Deps,
  monitors: readonly MonitorOf[],
  { periods, now }: { periods: readonly Span[]; now: number },
): Promise<ObservedTime[][]> {
  if (monitors.length === 0 || periods.length === 0) return monitors.map(() => []);
  const parts = periods.map((period) => splitHours(period, now));
  const [hours, edges] = await Promise.all([
    loadHourSums(
      clickhouse,
      monitors,
      parts.map((part) => part.hours),
    ),
    loadEdgeSums({ sql, clickhouse }, monitors, { edges: parts.map((part) => part.edges), now }),
  ]);
  return monitors.map(({ monitorId }) =>
    periods.map((_, i) => {
      const rows = [hours.get(monitorId), edges.get(monitorId)];
      return {
        good: rows.reduce((sum, row) => sum + (row?.up[i] ?? 0), 0),
        total: rows.reduce((sum, row) => sum + (row?.observed[i] ?? 0), 0),
      };
    }),
  );
}

async function loadHourSums(
  clickhouse: ClickHouseClient,
  monitors: readonly MonitorOf[],
  spans: readonly (Span | undefined)[],
): Promise<Map<MonitorId, SumsRow>> {
  const some = spans.filter((span) => span !== undefined);
  if (some.length === 0) return new Map();
  const inSpan = (span: Span | undefined) =>
    span === undefined ? 'false' : `hour >= ${hourLiteral(span.from)} AND hour < ${hourLiteral(span.to)}`;
  const all = { from: Math.min(...some.map(({ from }) => from)), to: Math.max(...some.map(({ to }) => to)) };
  const sums = (column: string) => `[${spans.map((span) => `sumIf(${column}, ${inSpan(span)})`).join(', ')}]`;
  const rows = await loadRows<SumsRow>(
    clickhouse,
    `SELECT monitor_id AS monitor, ${sums('observed_ms')} AS observed, ${sums('up_ms')} AS up
     FROM monitor_hours FINAL
     WHERE ${ofMonitors(monitors)} AND ${inSpan(all)}
     GROUP BY monitor_id SETTINGS do_not_merge_across_partitions_select_final = 1`,
    {},
  );
  return new Map(rows.map((row) => [row.monitor, row]));
}

/** Returns a time as it is written in a statement. The service's own numbers and ids are safe there; as parameters they would travel in the URL. */
export function hourLiteral(ms: number): string {
  return `toDateTime(${ms / 1000}, 'UTC')`;
}

/** Returns the condition for rows of monitors. */
export function ofMonitors(monitors: readonly MonitorOf[]): string {
  const pairs = monitors.map(({ pageId, monitorId }) => `(toUUID('${pageId}'), toUUID('${monitorId}'))`);
  return `(page_id, monitor_id) IN (${pairs.join(', ')})`;
}

/**
 * Computes from checks the same as compute-batch.ts does for hours: a check begins a segment, which ends with the next check,
 * after two intervals, or now. The counted part of each segment in each period is added up.
 */
async function loadEdgeSums(
  { sql, clickhouse }: Deps,
  monitors: readonly MonitorOf[],
  { edges, now }: { edges: readonly (readonly Span[])[]; now: number },
): Promise<Map<MonitorId, SumsRow>> {
  const all = edges.flat();
  if (all.length === 0) return new Map();
  const counted = await loadCounted(sql, monitors, all);
  const read = all.map(
    ({ from, to }) => `at >= fromUnixTimestamp64Milli(toInt64(${from - segmentMsMax}), 'UTC')
      AND at < fromUnixTimestamp64Milli(toInt64(${to}), 'UTC')`,
  );
  const within = (spans: readonly Span[]) =>
    spans.length === 0
      ? '0'
      : `arraySum(one -> ${spans
          .map(
            ({ from, to }) =>
              `greatest(0, least(one.2, end_ms, toInt64(${to})) - greatest(one.1, start_ms, toInt64(${from})))`,
          )
          .join(' + ')}, counted)`;
  const sums = (condition: string) =>
    `[${edges.map((spans) => `sumIf(${within(spans)}, ${condition})`).join(', ')}]`;
  const rows = await loadRows<SumsRow>(
    clickhouse,
    `WITH spans AS (
       SELECT one.1 AS monitor_id, one.2 AS counted
       FROM (SELECT arrayJoin(JSONExtract('${JSON.stringify(counted)}',
         'Array(Tuple(UUID, Array(Tuple(Int64, Int64))))')) AS one)
     ),
     segments AS (
       SELECT monitor_id, up, toUnixTimestamp64Milli(at) AS start_ms,
         least(start_ms + 2000 * toInt64(interval_seconds), start_ms + ${segmentMsMax}, toInt64(${now}),
           leadInFrame(start_ms, 1, toInt64(${now})) OVER (
             PARTITION BY monitor_id ORDER BY at ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)) AS end_ms
       FROM (
         SELECT monitor_id, at, interval_seconds, up FROM checks FINAL
         WHERE ${ofMonitors(monitors)} AND (${read.join(' OR ')})
           AND at <= fromUnixTimestamp64Milli(toInt64(${now}), 'UTC')
       )
     )
     SELECT monitor_id AS monitor, ${sums('true')} AS observed, ${sums('up = 1')} AS up
     FROM (SELECT s.monitor_id AS monitor_id, s.up AS up, start_ms, end_ms, counted
       FROM segments AS s INNER JOIN spans USING (monitor_id))
     GROUP BY monitor_id SETTINGS do_not_merge_across_partitions_select_final = 1`,
    {},
  );
  return new Map(rows.map((row) => [row.monitor, row]));
}

/** Loads the parts of the edges outside maintenance and pauses of each monitor, as they were last applied to points. */
async function loadCounted(
  sql: Sql,
  monitors: readonly MonitorOf[],
  edges: readonly Span[],
): Promise<[MonitorId, [number, number][]][]> {
  const all = {
    from: Math.min(...edges.map(({ from }) => from)),
    to: Math.max(...edges.map(({ to }) => to)),
  };
  const excluded = await sql<(Span & { monitorId: MonitorId })[]>`
    select monitor_id as "monitorId", floor(extract(epoch from from_at) * 1000)::float8 as "from",
      floor(extract(epoch from to_at) * 1000)::float8 as "to"
    from applied_exclusions
    where monitor_id = any (${monitors.map(({ monitorId }) => monitorId)}::uuid[])
      and from_at < ${new Date(all.to)} and to_at > ${new Date(all.from)}`;
  return monitors.map(({ monitorId }) => {
    const own = excluded.filter((span) => span.monitorId === monitorId);
    return [monitorId, without(all, own).map(({ from, to }) => [from, to])];
  });
}

/** The observed time from a time on, in milliseconds since the epoch. */
export type ObservedStep = ObservedTime & { at: number };

/**
 * Reads the observed time of a monitor by the hour over the whole hours of a period, oldest first; a day that another tool has
 * observed is one step, at its start. Hours without observed time are not among them.
 *
 * @throws as readObserved() does.
 */
export async function readObservedHours(
  { clickhouse }: Pick<Deps, 'clickhouse'>,
  { pageId, monitorId }: MonitorOf,
  { from, to }: Span,
): Promise<ObservedStep[]> {
  return loadRows<ObservedStep>(
    clickhouse,
    `WITH imported AS (
       SELECT day, observed_ms, up_ms FROM monitor_days FINAL
       WHERE page_id = {page:UUID} AND monitor_id = {monitor:UUID} AND version = ${importedVersion}
         AND day >= toDate(${hourLiteral(from)}) AND day < toDate(${hourLiteral(to)})
     )
     SELECT 1000 * toInt64(toUnixTimestamp(hour)) AS at, up_ms AS good, observed_ms AS total
     FROM monitor_hours FINAL
     WHERE page_id = {page:UUID} AND monitor_id = {monitor:UUID} AND observed_ms > 0
       AND hour >= ${hourLiteral(from)} AND hour < ${hourLiteral(to)}
       AND toDate(hour) NOT IN (SELECT day FROM imported)
     UNION ALL
     SELECT 86400000 * toInt64(toUInt16(day)) AS at, up_ms AS good, observed_ms AS total FROM imported
     ORDER BY at
     SETTINGS do_not_merge_across_partitions_select_final = 1`,
    { page: pageId, monitor: monitorId },
  );
}

/**
 * Reads the observed time of a monitor by the hour over a period, with the hours that its ends cut: those come from checks.
 *
 * @throws as readObserved() does.
 */
export async function readObservedSteps(
  deps: Deps,
  monitor: MonitorOf,
  { period, now }: { period: Span; now: number },
): Promise<ObservedStep[]> {
  const { hours, edges } = splitHours(period, now);
  // An edge of two hours or more is cut, so that each step is an hour.
  const cut = edges.flatMap(cutByHour);
  const [ends = [], whole] = await Promise.all([
    readObserved(deps, [monitor], { periods: cut, now }).then(([found]) => found),
    hours === undefined ? [] : readObservedHours(deps, monitor, hours),
  ]);
  const steps = cut.map(({ from }, i) => ({ at: from, ...(ends[i] ?? { good: 0, total: 0 }) }));
  return [...whole, ...steps].filter(({ total }) => total > 0).sort((a, b) => a.at - b.at);
}

function cutByHour({ from, to }: Span): Span[] {
  const cuts: Span[] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / hourMs) + 1) * hourMs);
    cuts.push({ from: start, to: end });
    start = end;
  }
  return cuts;
}
