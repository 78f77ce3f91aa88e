import { Temporal } from 'temporal-polyfill';
import { ServiceError } from '../../lib/service-error.js';
import type { QuietHours } from './find-channels.js';

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

/**
 * Reads quiet hours as people write them, `HH:MM`.
 *
 * @throws ServiceError `invalidBody` for another form, and when both are the same.
 */
export function parseQuietHours(hours: { from: string; to: string } | null): QuietHours | null {
  if (hours === null) return null;
  const [fromMinute, toMinute] = [parseMinute(hours.from), parseMinute(hours.to)];
  if (fromMinute === undefined || toMinute === undefined) {
    throw new ServiceError('invalidBody', { message: 'Quiet hours are two times, such as 22:00 and 07:00.' });
  }
  if (fromMinute === toMinute) {
    throw new ServiceError('invalidBody', {
      message: 'Quiet hours begin and end at different times; turn the channel off for a whole day.',
    });
  }
  return { fromMinute, toMinute };
}
