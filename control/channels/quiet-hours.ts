import { Temporal } from 'temporal-polyfill';
import type { QuietHours } from './channel.js';

const hourMinutes = 60;

/**
 * Returns when the quiet hours end that hold at `now`, in milliseconds since the epoch; `undefined` outside of them. They
 * begin and end by the clock of the time zone: where that skips the end, they end when it has skipped, and where it shows
 * the end twice, at the first.
 */
export function quietUntil(
  { fromMinute, toMinute }: QuietHours,
  { timeZone, now }: { timeZone: string; now: number },
): number | undefined {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const minute = local.hour * hourMinutes + local.minute;
  const overMidnight = toMinute < fromMinute;
  const isQuiet = overMidnight
    ? minute >= fromMinute || minute < toMinute
    : minute >= fromMinute && minute < toMinute;
  if (!isQuiet) return undefined;
  const endsTomorrow = overMidnight && minute >= fromMinute;
  const end = local
    .toPlainDate()
    .add({ days: endsTomorrow ? 1 : 0 })
    .toZonedDateTime({ timeZone, plainTime: timeOf(toMinute) }).epochMilliseconds;
  // A clock that was put back shows the end again, after it has passed once.
  return end > now ? end : undefined;
}

function timeOf(minute: number): Temporal.PlainTime {
  return new Temporal.PlainTime(Math.floor(minute / hourMinutes), minute % hourMinutes);
}

/** The minute of a day of a time as people write it, `22:00`; `undefined` for other texts. */
export function parseMinute(text: string): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * hourMinutes + Number(minutes);
}

/** A minute of a day as people write it: `22:00`. */
export function formatMinute(minute: number): string {
  return timeOf(minute).toString({ smallestUnit: 'minute' });
}
