import { Temporal } from 'temporal-polyfill';
import { createLru } from '../../lib/lru.js';
import { dayMs } from '../../lib/times.js';

/**
 * The clock of a time zone within a range. A time on it is given in milliseconds as if the zone were UTC, so
 * that days can be added to it: the hour stays when the clock changes.
 */
export type WallClock = {
  /** Returns what the clock shows at a moment. */
  wallOf(instant: number): number;
  /**
   * Returns the first moment at which the clock has come to a time: the first of two where the clock shows it twice, and
   * the moment of the change where the clock skips it.
   */
  instantOf(wall: number): number;
};

/** A stretch of time with one difference to UTC. It ends where the next one begins. */
type Period = { from: number; offsetMs: number };

/**
 * Makes the clock of a zone for moments from `from` to `to`, in milliseconds since the epoch. The changes of the clock
 * are looked up once; a look-up through Temporal for each hand-over would cost a second for a year of ten layers.
 */
export function wallClockOf(timeZone: string, { from, to }: { from: number; to: number }): WallClock {
  const [first, last] = [yearOf(from - 2 * dayMs), yearOf(to + 2 * dayMs)];
  const years = Array.from({ length: last - first + 1 }, (_, at) => periodsOf(timeZone, first + at));
  const periods = years.flat();
  const before = periods[0]?.offsetMs ?? 0;
  return {
    wallOf: (instant) => instant + (periods.findLast((period) => period.from <= instant)?.offsetMs ?? before),
    instantOf(wall) {
      // A loop by index takes a third of the time of an iterator; a year of hours asks a hundred thousand times.
      for (let at = 0; at < periods.length; at += 1) {
        const { from, offsetMs } = periods[at] ?? { from: 0, offsetMs: before };
        const reached = at === 0 ? wall - offsetMs : Math.max(from, wall - offsetMs);
        if (reached < (periods[at + 1]?.from ?? Number.POSITIVE_INFINITY)) return reached;
      }
      return wall - before;
    },
  };
}

function yearOf(instant: number): number {
  return new Date(instant).getUTCFullYear();
}

/** Belongs to the module, as a year of a zone is the same for every schedule. A look-up takes some milliseconds. */
const knownYears = createLru<string, readonly Period[]>(1_000);

/** The periods that begin in a year of UTC; the first one begins with the year. */
function periodsOf(timeZone: string, year: number): readonly Period[] {
  const key = `${year} ${timeZone}`;
  const known = knownYears.get(key);
  if (known !== undefined) return known;
  const end = Date.UTC(year + 1, 0, 1);
  const periods: Period[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(
    Date.UTC(year, 0, 1),
  ).toZonedDateTimeISO(timeZone);
  while (at !== null && at.epochMilliseconds < end) {
    periods.push({ from: at.epochMilliseconds, offsetMs: at.offsetNanoseconds / 1e6 });
    at = at.getTimeZoneTransition('next');
  }
  knownYears.set(key, periods);
  return periods;
}
