import type { Service } from '../../contract/summary.js';
import { dayMs } from '../../lib/times.js';

/** A UTC day of a service: minutes down and failed checks in percent, both 0 when the day was not measured. */
export type DayMark = { day: string; measured: boolean; minutesDown: number; failedPercent: number };

/** The UTC day of a time in milliseconds, as `YYYY-MM-DD`. */
export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The last `count` days, oldest first, today included. */
export function lastDays(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => formatDay(now - (count - 1 - at) * dayMs));
}

export function markDays(
  { dailyMinutesDown, dailyHealth }: Pick<Service, 'dailyMinutesDown' | 'dailyHealth'>,
  days: readonly string[],
): DayMark[] {
  return days.map((day) => {
    const minutesDown = dailyMinutesDown[day] ?? 0;
    const health = dailyHealth[day];
    return {
      day,
      measured: health !== undefined || minutesDown > 0,
      minutesDown,
      failedPercent: health?.rate ?? 0,
    };
  });
}

/**
 * The days for the script, oldest first, separated by commas. A day without a problem is empty, and a day that was not
 * measured is `-`. Any other day has its minutes down, and after a `/` its failed checks in percent: `12/0.83`, `12` or
 * `0/0.5`. `data-from` of the element has the first day.
 */
export function encodeDays(marks: readonly DayMark[]): string {
  return marks
    .map(({ measured, minutesDown, failedPercent }) => {
      if (!measured) return '-';
      if (failedPercent > 0) return `${minutesDown}/${failedPercent}`;
      return minutesDown > 0 ? `${minutesDown}` : '';
    })
    .join(',');
}
