import { Temporal } from 'temporal-polyfill';
import type { ObjectiveWindow } from '../../contract/manage/objectives.js';
import { dayMs } from '../../lib/times.js';

/** From `from` until `to`, in milliseconds since the epoch. */
export type WindowPeriod = { from: number; to: number };

/**
 * Returns the window that an objective is held over at a time, in milliseconds since the epoch. One of days ends then, and
 * its days have 24 hours each; one of the calendar begins with the first day of the month or quarter in the time zone, and
 * may end later. A day whose midnight the clock skips begins with its first moment.
 */
export function windowAt(window: ObjectiveWindow, at: number, timeZone: string): WindowPeriod {
  if ('days' in window) return { from: at - window.days * dayMs, to: at };
  const months = monthsOf[window.calendar];
  const { year, month } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const first = new Temporal.PlainYearMonth(year, month - ((month - 1) % months));
  return { from: startOfMonth(first, timeZone), to: startOfMonth(first.add({ months }), timeZone) };
}

/**
 * Returns the last `count` months of the calendar in the time zone, oldest first, the one that `at` is in included. `month` is
 * `YYYY-MM`, and `at` in milliseconds since the epoch.
 */
export function monthsUntil(
  at: number,
  { timeZone, count }: { timeZone: string; count: number },
): (WindowPeriod & { month: string })[] {
  const { year, month } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const last = new Temporal.PlainYearMonth(year, month);
  return Array.from({ length: count }, (_, i) => {
    const one = last.subtract({ months: count - 1 - i });
    return {
      month: one.toString(),
      from: startOfMonth(one, timeZone),
      to: startOfMonth(one.add({ months: 1 }), timeZone),
    };
  });
}

function startOfMonth(month: Temporal.PlainYearMonth, timeZone: string): number {
  return month.toPlainDate({ day: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
}

const monthsOf = { month: 1, quarter: 3 } as const;

/**
 * Returns the days of a period by the calendar of a time zone, oldest first; the first and the last are cut to the period.
 * `day` is the date as `YYYY-MM-DD`.
 */
export function daysOf({ from, to }: WindowPeriod, timeZone: string): (WindowPeriod & { day: string })[] {
  const days: (WindowPeriod & { day: string })[] = [];
  let date = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone).toPlainDate();
  let start = from;
  while (start < to) {
    const next = date.add({ days: 1 });
    const end = Math.min(to, next.toZonedDateTime(timeZone).epochMilliseconds);
    // A zone that crosses the date line leaves out a day.
    if (end > start) days.push({ day: date.toString(), from: start, to: end });
    [date, start] = [next, Math.max(start, end)];
  }
  return days;
}
