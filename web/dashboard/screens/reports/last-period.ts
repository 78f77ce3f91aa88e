import type { ReportEvery } from '../../../../contract/manage/reports.js';
import { toWallTime } from '../../kit/form/zoned-time.js';

const dayMs = 86_400_000;

/** The days of a week or a month as `YYYY-MM-DD`; both belong to it. */
export type Days = { first: string; last: string };

/**
 * Returns the newest week, from Monday to Sunday, or month that is over by the clock of a zone (IANA name). `now` is in
 * milliseconds since the epoch.
 */
export function lastPeriod(every: ReportEvery, now: number, zone: string): Days {
  const start = startOf(every, todayIn(zone, now));
  return { first: dayOf(shift(every, start, -1)), last: dayOf(start - dayMs) };
}

/** Emails leave at this hour of the first day after the period, see control/reports. */
const sentAt = '08:00';

/** Returns the day, as `YYYY-MM-DD` by the clock of a zone, on which the next report is sent. */
export function nextDay(every: ReportEvery, now: number, zone: string): string {
  const today = todayIn(zone, now);
  const start = startOf(every, today);
  const isToCome = start === today && toWallTime(now, zone).slice(11) < sentAt;
  return dayOf(isToCome ? today : shift(every, start, 1));
}

/** Days are midnights of UTC, which has each day once and with 24 hours. */
function todayIn(zone: string, now: number): number {
  return Date.parse(toWallTime(now, zone).slice(0, 10));
}

function startOf(every: ReportEvery, day: number): number {
  const date = new Date(day);
  if (every === 'week') return day - ((date.getUTCDay() + 6) % 7) * dayMs;
  return day - (date.getUTCDate() - 1) * dayMs;
}

function shift(every: ReportEvery, start: number, count: number): number {
  if (every === 'week') return start + count * 7 * dayMs;
  const date = new Date(start);
  return date.setUTCMonth(date.getUTCMonth() + count);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
