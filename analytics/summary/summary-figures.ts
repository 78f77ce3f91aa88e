import type { Service } from '../../contract/public/summary.js';
import { formatUptime } from '../../lib/figures.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { addUp, type DayPoint, type MonitorPoints, type Observed } from './summary-points.js';

/** Returns the average response time in milliseconds; null when nothing was measured. */
function averageMs({ measured, sumMs }: Observed): number | null {
  return measured === 0 ? null : sumMs / measured;
}

type Figures = Pick<
  Service,
  | 'uptime'
  | 'uptimeDay'
  | 'uptimeWeek'
  | 'uptimeMonth'
  | 'uptimeYear'
  | 'time'
  | 'timeDay'
  | 'timeWeek'
  | 'timeMonth'
  | 'timeYear'
>;

/** Returns uptime and response time over each window. `history` holds the days that the page shows. */
export function describeWindows(
  { day, week, month, year }: MonitorPoints,
  history: readonly DayPoint[],
): Figures {
  const shown = addUp(history);
  const time = (window: Observed) => Math.round(averageMs(window) ?? 0);
  return {
    uptime: formatUptime(shown),
    uptimeDay: formatUptime(day),
    uptimeWeek: formatUptime(week),
    uptimeMonth: formatUptime(month),
    uptimeYear: formatUptime(year),
    time: time(shown),
    timeDay: time(day),
    timeWeek: time(week),
    timeMonth: time(month),
    timeYear: time(year),
  };
}

/** Returns the minutes down of each day with any, rounded and at least 1. */
export const minutesDown = (days: readonly DayPoint[]): Service['dailyMinutesDown'] =>
  minutesOf(days, ({ observedMs, upMs }) => observedMs - upMs);

/** Returns the minutes in which a service was up but answered too slowly, of each day with any, rounded and at least 1. */
export const minutesDegraded = (days: readonly DayPoint[]): Record<string, number> =>
  minutesOf(days, ({ degradedMs }) => degradedMs);

function minutesOf(days: readonly DayPoint[], msOf: (point: DayPoint) => number): Record<string, number> {
  const some = days.filter((point) => msOf(point) > 0);
  return Object.fromEntries(
    some.map((point) => [formatDay(point.day), Math.max(1, Math.round(msOf(point) / minuteMs))]),
  );
}

/**
 * Returns the percentage of failed checks, with two decimals, of each day that was measured. It is 0 for a day without
 * checks of its own, which another tool has observed.
 */
export function health(days: readonly DayPoint[]): Service['dailyHealth'] {
  const observed = days.filter(({ checks, observedMs }) => checks > 0 || observedMs > 0);
  return Object.fromEntries(
    observed.map(({ day, checks, failed }) => [
      formatDay(day),
      { rate: checks === 0 ? 0 : Math.round((failed / checks) * 10_000) / 100 },
    ]),
  );
}

/** Returns the average response time of each day with measurements, and of all measurements together. */
export function responseTimes(
  days: readonly DayPoint[],
): Omit<NonNullable<Service['responseTime']>, 'windowDays'> {
  const average = averageMs(addUp(days));
  const measured = days.filter(({ measured }) => measured > 0);
  return {
    averageMs: average === null ? null : Math.round(average * 100) / 100,
    points: measured.map((point) => ({
      day: formatDay(point.day),
      averageMs: Math.round(averageMs(point) ?? 0),
    })),
  };
}

/** Formats a day as `YYYY-MM-DD`. `day` counts from 1970-01-01. */
export function formatDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
