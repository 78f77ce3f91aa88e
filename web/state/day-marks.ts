import type { ShownService } from '../../contract/public/status-page.js';
import { dayMs } from '../../lib/times.js';

/**
 * A UTC day of a service: minutes down, minutes degraded and failed checks in percent, all 0 when the day was not measured. `begun` is
 * false for the days before the history of the service, of which there is nothing to show.
 */
export type DayMark = {
  day: string;
  begun: boolean;
  measured: boolean;
  minutesDown: number;
  minutesDegraded: number;
  failedPercent: number;
};

/**
 * The days that all services of a page are drawn over, oldest first; the last one is today. There are more `columns` than
 * days while a page is young: the rest stays free for the days to come.
 */
export type DayAxis = {
  days: readonly string[];
  columns: number;
  /** Whether the days are the whole history that the page shows. */
  isWhole: boolean;
};

/** The UTC day of a time in milliseconds, as `YYYY-MM-DD`. */
export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The first of the last `count` days, today included. */
export const firstDay = (now: number, count: number): string => formatDay(now - (count - 1) * dayMs);

/** The last `count` days, oldest first, today included. */
export function lastDays(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => formatDay(now - (count - 1 - at) * dayMs));
}

/** A young page has as many columns as three weeks have days, so that its first days are not as wide as the page. */
const columnsMin = 21;

/** The axis of a page: its history, or the part of it since the first of its services began. */
export function dayAxis(
  now: number,
  historyDays: number,
  services: readonly Pick<ShownService, 'coverage'>[],
): DayAxis {
  const all = lastDays(now, historyDays);
  const begun = services.map(({ coverage }) => coverage?.since ?? '').sort()[0] ?? '';
  const days = all.filter((day, at) => day >= begun || at === all.length - 1);
  return {
    days,
    columns: Math.max(days.length, Math.min(historyDays, columnsMin)),
    isWhole: days.length === historyDays,
  };
}

/**
 * The marks of some days of a service. While its state is not known, a day whose checks have all failed counts as not
 * measured: nobody knows yet whether the service is down, or was never right.
 */
export function markDays(
  {
    dailyMinutesDown,
    dailyMinutesDegraded = {},
    dailyHealth,
    coverage,
  }: Pick<ShownService, 'dailyMinutesDown' | 'dailyMinutesDegraded' | 'dailyHealth' | 'coverage'>,
  days: readonly string[],
): DayMark[] {
  return days.map((day) => {
    const minutesDown = dailyMinutesDown[day] ?? 0;
    const health = dailyHealth[day];
    const isUndecided = coverage?.state === 'unknown' && health?.rate === 100;
    const measured = !isUndecided && (health !== undefined || minutesDown > 0);
    const begun = measured || day >= (coverage?.since ?? '');
    if (!measured) return { day, begun, measured, minutesDown: 0, minutesDegraded: 0, failedPercent: 0 };
    const minutesDegraded = dailyMinutesDegraded[day] ?? 0;
    return { day, begun, measured, minutesDown, minutesDegraded, failedPercent: health?.rate ?? 0 };
  });
}

/** How a day looks. A day with failed checks but without downtime has `failed`, and is good otherwise. */
export type DayKind = 'good' | 'failed' | 'degraded' | `down-${1 | 2 | 3 | 4}` | 'unmeasured';

/** Minutes from which on a day with downtime is of a kind. */
const severities = [
  { from: 240, kind: 'down-4' },
  { from: 60, kind: 'down-3' },
  { from: 10, kind: 'down-2' },
  { from: 0, kind: 'down-1' },
] as const;

/** Returns `undefined` for a day before the history of the service. */
export function kindOfDay(mark: DayMark): DayKind | undefined {
  const { begun, measured, minutesDown, minutesDegraded, failedPercent } = mark;
  if (!begun) return undefined;
  if (!measured) return 'unmeasured';
  if (minutesDown > 0) return severities.find(({ from }) => minutesDown >= from)?.kind;
  if (minutesDegraded > 0) return 'degraded';
  return failedPercent > 0 ? 'failed' : 'good';
}

/** The days of several services as one: of each figure the worst. */
export function worstDays(services: readonly (readonly DayMark[])[]): DayMark[] {
  const [first = [], ...others] = services;
  return first.map((mark, at) =>
    others.reduce((worst, days) => {
      const other = days[at] ?? mark;
      return {
        day: mark.day,
        begun: worst.begun || other.begun,
        measured: worst.measured || other.measured,
        minutesDown: Math.max(worst.minutesDown, other.minutesDown),
        minutesDegraded: Math.max(worst.minutesDegraded, other.minutesDegraded),
        failedPercent: Math.max(worst.failedPercent, other.failedPercent),
      };
    }, mark),
  );
}

/**
 * The days for the script, oldest first, separated by commas. A day without a problem is empty, and a day that was not
 * measured is `-`. Any other day has its minutes down, its failed checks in percent and its minutes degraded, with a `/`
 * between them and without zeros at the end: `12/0.83`, `12`, `0/0.5` or `0/0/30`. `data-from` of the element has the first day.
 */
export function encodeDays(marks: readonly DayMark[]): string {
  return marks
    .map(({ measured, minutesDown, failedPercent, minutesDegraded }) => {
      if (!measured) return '-';
      const figures = [minutesDown, failedPercent, minutesDegraded];
      return figures.slice(0, figures.findLastIndex((figure) => figure > 0) + 1).join('/');
    })
    .join(',');
}
