import { Temporal } from 'temporal-polyfill';
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
