import { Temporal } from 'temporal-polyfill';
import type { ReportSchedule } from '../../contract/manage/report-settings.js';
import type { ReportEvery } from '../../contract/manage/reports.js';

/** A week or a month: from `from` until `to`, in milliseconds since the epoch; its days are `YYYY-MM-DD`. */
export type ReportPeriod = { from: number; to: number; firstDay: string; lastDay: string };

type Calendar = { every: ReportEvery; timeZone: string };

/**
 * Returns the week or month of the calendar that a time is in. A week begins on Monday; a day whose midnight the clock skips
 * begins with its first moment. `at` is in milliseconds since the epoch.
 */
export function periodAt(at: number, { every, timeZone }: Calendar): ReportPeriod {
  const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate();
  const first = every === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date.with({ day: 1 });
  return periodFrom(first, { every, timeZone });
}

/** Returns the week or month before the one that a time is in. */
export function periodBefore(at: number, { every, timeZone }: Calendar): ReportPeriod {
  const first = Temporal.PlainDate.from(periodAt(at, { every, timeZone }).firstDay);
  return periodFrom(first.subtract(lengths[every]), { every, timeZone });
}

function periodFrom(first: Temporal.PlainDate, { every, timeZone }: Calendar): ReportPeriod {
  const next = first.add(lengths[every]);
  return {
    from: first.toZonedDateTime(timeZone).epochMilliseconds,
    to: next.toZonedDateTime(timeZone).epochMilliseconds,
    firstDay: first.toString(),
    lastDay: next.subtract({ days: 1 }).toString(),
  };
}

const lengths = { week: { days: 7 }, month: { months: 1 } } as const;

/** The period of each schedule. */
export const periodOf: Readonly<Record<ReportSchedule, ReportEvery>> = { weekly: 'week', monthly: 'month' };

const sentAt = '08:00';

/**
 * Returns the last week or month whose report is due at `now`, in milliseconds since the epoch: it is sent at 8:00 of the day
 * after it, by the clock of the zone. `dueAt` is that time.
 */
export function lastDue(
  now: number,
  { every, timeZone }: { every: ReportSchedule; timeZone: string },
): ReportPeriod & { dueAt: number } {
  const calendar = { every: periodOf[every], timeZone };
  const before = periodBefore(now, calendar);
  const dueAt = dueAfter(before, timeZone);
  if (dueAt <= now) return { ...before, dueAt };
  const earlier = periodBefore(before.from, calendar);
  return { ...earlier, dueAt: dueAfter(earlier, timeZone) };
}

function dueAfter({ lastDay }: ReportPeriod, timeZone: string): number {
  const day = Temporal.PlainDate.from(lastDay).add({ days: 1 });
  return day.toZonedDateTime({ timeZone, plainTime: sentAt }).epochMilliseconds;
}
