import { fromWallTime, toWallTime } from '../../../kit/form/zoned-time.js';

/** A day such as `2026-12-06`. */
export type Day = string;

const dayMs = 86_400_000;

/** The day that is so many days later. */
export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

/** The same day of another month, or the last one that it has. */
export function addMonths(day: Day, count: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + count, Math.min(date, last))).toISOString().slice(0, 10);
}

/** The weeks of the month of a day, each from Monday to Sunday. */
export function weeksOf(day: Day): Day[][] {
  const first = `${day.slice(0, 7)}-01`;
  const before = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  const end = addMonths(first, 1);
  const weeks: Day[][] = [];
  for (let monday = addDays(first, -before); monday < end; monday = addDays(monday, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, i) => addDays(monday, i)));
  }
  return weeks;
}

/** The day that the clock of a zone shows, at a time in milliseconds since the epoch. */
export function dayOf(at: number, zone: string): Day {
  return toWallTime(at, zone).slice(0, 10);
}

/** When a day begins in a zone, in milliseconds since the epoch. */
export function startOf(day: Day, zone: string): number {
  return fromWallTime(`${day}T00:00`, zone);
}

/** A maintenance, or an occurrence of a series that is not published yet. Times in milliseconds since the epoch. */
export type Entry = {
  key: string;
  title: string;
  startsAt: number;
  /** `undefined` for one without a planned end. */
  endsAt: number | undefined;
  href: string;
  isPlanned: boolean;
};

/** The entries of each day that they touch, by their starts; of the days from `begin` up to, without it, `end`. */
export function byDay(
  entries: readonly Entry[],
  { zone, begin, end }: { zone: string; begin: Day; end: Day },
): ReadonlyMap<Day, Entry[]> {
  const days = new Map<Day, Entry[]>();
  for (const entry of [...entries].sort((a, b) => a.startsAt - b.startsAt)) {
    const first = dayOf(entry.startsAt, zone);
    // One that ends at midnight does not touch the next day.
    const last = dayOf(Math.max(entry.startsAt, (entry.endsAt ?? entry.startsAt) - 1), zone);
    for (let day = first > begin ? first : begin; day <= last && day < end; day = addDays(day, 1)) {
      days.set(day, [...(days.get(day) ?? []), entry]);
    }
  }
  return days;
}
