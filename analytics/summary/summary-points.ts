import type { ClickHouseClient } from '@clickhouse/client';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import { isMeasuredDay } from '../../sql/measured-day.js';

/** The observations and measurements of a window; times in milliseconds. */
export type Observed = {
  observedMs: number;
  upMs: number;
  /** Checks with a response time, and the sum of these times. */
  measured: number;
  sumMs: number;
};

export type DayPoint = Observed & {
  /** Days since 1970-01-01, UTC. */
  day: number;
  /** Checks that count, and how many of them failed. */
  checks: number;
  failed: number;
  /** Part of the time up in which the service answered too slowly. */
  degradedMs: number;
};

/** The points of one monitor; `windowStarts` says where the windows begin. */
export type MonitorPoints = {
  day: Observed;
  week: Observed;
  month: Observed;
  year: Observed;
  /** Days that were measured among the last 90, oldest first. */
  days: DayPoint[];
};

/** Longest history that a page may show. */
const historyDaysMax = 90;

export const nothing: Observed = { observedMs: 0, upMs: 0, measured: 0, sumMs: 0 };

/**
 * Returns where the windows begin. Windows end now and consist of whole points, the last of which is still filling: 24
 * hours, which begin after this time yesterday, 7 times 24 hours, and 30, 365 and up to 90 calendar days with today.
 */
function windowStarts(now: number) {
  const thisHour = Math.floor(now / hourMs);
  const today = Math.floor(now / dayMs);
  return {
    /** Seconds since the epoch. */
    day: ((thisHour - 23) * hourMs) / 1000,
    week: ((thisHour - 7 * 24 + 1) * hourMs) / 1000,
    /** Days since the epoch. */
    month: today - 29,
    year: today - 364,
    history: today - historyDaysMax + 1,
  };
}

/** A tuple of the queries below: observed, up, measured, sum. */
type ObservedRow = [number, number, number, number];
type HoursRow = { monitor: MonitorId; day: ObservedRow; week: ObservedRow };
type DaysRow = {
  monitor: MonitorId;
  month: ObservedRow;
  year: ObservedRow;
  days: [day: number, ...ObservedRow, checks: number, failed: number, degradedMs: number][];
};

/**
 * Loads the points of all monitors of a page, deleted ones included. Reads days and weeks from hours, because they would
 * be off by up to a day otherwise, and longer windows from days.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached.
 */
export async function loadSummaryPoints(
  { clickhouse }: { clickhouse: ClickHouseClient },
  pageId: PageId,
  now: number,
): Promise<Map<MonitorId, MonitorPoints>> {
  const starts = windowStarts(now);
  const parameters = { page: pageId, ...starts };
  const [hours, days] = await Promise.all([
    loadRows<HoursRow>(clickhouse, hoursQuery, parameters),
    loadRows<DaysRow>(clickhouse, daysQuery, parameters),
  ]);
  const points = new Map<MonitorId, MonitorPoints>();
  const pointsOf = (monitor: MonitorId): MonitorPoints => {
    const known = points.get(monitor) ?? {
      day: nothing,
      week: nothing,
      month: nothing,
      year: nothing,
      days: [],
    };
    points.set(monitor, known);
    return known;
  };
  for (const { monitor, day, week } of hours) {
    Object.assign(pointsOf(monitor), { day: toObserved(day), week: toObserved(week) });
  }
  for (const { monitor, month, year, days: rows } of days) {
    Object.assign(pointsOf(monitor), {
      month: toObserved(month),
      year: toObserved(year),
      days: rows.map(toDayPoint),
    });
  }
  return points;
}

/** Returns a tuple with the sums of the rows for which the condition holds. */
const sumsIf = (condition: string): string =>
  `(${['observed_ms', 'up_ms', 'measured', 'sum_ms'].map((column) => `sumIf(${column}, ${condition})`).join(', ')})`;

/** Sums hours in the same way: all 0 without a check in any of them, since the last check before stands for up to two of them. */
const checkedSumsIf = (condition: string): string =>
  `if(sumIf(checks, ${condition}) > 0, ${sumsIf(condition)}, (0, 0, 0, 0))`;

// A partition holds whole months, so the rows of one key are never in two partitions.
const settings = 'SETTINGS do_not_merge_across_partitions_select_final = 1';

const hoursQuery = `
  SELECT monitor_id AS monitor, ${checkedSumsIf("hour >= toDateTime({day:UInt32}, 'UTC')")} AS day,
    ${checkedSumsIf('true')} AS week
  FROM monitor_hours FINAL
  WHERE page_id = {page:UUID} AND hour >= toDateTime({week:UInt32}, 'UTC')
  GROUP BY monitor_id ${settings}`;

const daysQuery = `
  SELECT monitor_id AS monitor, ${sumsIf('toUInt16(day) >= {month:UInt16}')} AS month, ${sumsIf('true')} AS year,
    arraySort(groupArrayIf((toUInt16(day), observed_ms, up_ms, measured, sum_ms, checks, failed, degraded_ms),
      toUInt16(day) >= {history:UInt16})) AS days
  FROM monitor_days FINAL
  WHERE page_id = {page:UUID} AND day >= toDate({year:UInt16}) AND ${isMeasuredDay}
  GROUP BY monitor_id ${settings}`;

function toObserved([observedMs, upMs, measured, sumMs]: ObservedRow): Observed {
  return { observedMs, upMs, measured, sumMs };
}

function toDayPoint([
  day,
  observedMs,
  upMs,
  measured,
  sumMs,
  checks,
  failed,
  degradedMs,
]: DaysRow['days'][number]): DayPoint {
  return { day, observedMs, upMs, measured, sumMs, checks, failed, degradedMs };
}

/** Returns the sum of points. */
export function addUp(points: readonly Observed[]): Observed {
  const sum = { ...nothing };
  for (const point of points) {
    sum.observedMs += point.observedMs;
    sum.upMs += point.upMs;
    sum.measured += point.measured;
    sum.sumMs += point.sumMs;
  }
  return sum;
}
