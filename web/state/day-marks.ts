import type { Service } from '../../contract/summary.js';

const dayMs = 86_400_000;

/** What is known of a UTC day: its minutes down, its failed checks in percent; nothing when it was not measured. */
export type DayMark = { day: string; measured: boolean; minutesDown: number; failedPercent: number };

/** `YYYY-MM-DD`, of UTC. */
export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The last days, oldest first; the last of them is today. */
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
 * The days for the script, oldest first, separated by commas: nothing for a day without a problem, `-` for one that
 * was not measured, else the minutes down, and behind a `/` the failed checks in percent, such as `12/0.83`, `12` or
 * `0/0.5`. The element says in `data-from` which day is the first.
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
