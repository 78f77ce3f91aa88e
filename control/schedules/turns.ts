import { weekdays } from '../../contract/manage/schedules.js';
import type { UserId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import type { Hours, Layer, Stretch } from './plan.js';
import type { WallClock } from './wall-clock.js';

/** A stretch that somebody of a layer covers. */
export type Turn = Stretch & { userId: UserId };

/**
 * Returns what a layer covers within a range, in order and without overlaps. The work grows with the days of the range,
 * the hours of the layer, and nothing else.
 */
export function turnsOf(layer: Layer, clock: WallClock, range: Stretch): Turn[] {
  const turns = rotate(layer, clock, range);
  return layer.hours === null ? turns : meet(turns, openHours(layer.hours, clock, range));
}

/** Returns who of a layer covers a moment; undefined when nobody does. */
export function whoCovers(layer: Layer, clock: WallClock, at: number): UserId | undefined {
  const first = wallTime(layer.handoff);
  const turnMs = layer.everyDays * dayMs;
  let turn = Math.floor((clock.wallOf(at) - first) / turnMs);
  // A clock that was put back shows a time before a hand-over that has happened.
  if (clock.instantOf(first + (turn + 1) * turnMs) <= at) turn += 1;
  if (turn < 0) return undefined;
  const who = layer.people[turn % layer.people.length] ?? undefined;
  if (who === undefined || layer.hours === null) return who;
  const today = dayOf(clock.wallOf(at));
  const isOpen = [today - dayMs, today, today + dayMs].some((day) =>
    stretchesOfDay(layer.hours ?? [], clock, day).some(({ from, to }) => from <= at && at < to),
  );
  return isOpen ? who : undefined;
}

/** The turns of a layer without its hours. Those of people who may not be told are left out. */
function rotate({ handoff, everyDays, people }: Layer, clock: WallClock, range: Stretch): Turn[] {
  const turns: Turn[] = [];
  const first = wallTime(handoff);
  const turnMs = everyDays * dayMs;
  let turn = Math.max(0, Math.floor((clock.wallOf(range.from) - first) / turnMs));
  let from = clock.instantOf(first + turn * turnMs);
  while (from < range.to) {
    const to = clock.instantOf(first + (turn + 1) * turnMs);
    const userId = people[turn % people.length] ?? null;
    const part = { from: Math.max(from, range.from), to: Math.min(to, range.to) };
    if (userId !== null && part.from < part.to) turns.push({ ...part, userId });
    turn += 1;
    from = to;
  }
  return turns;
}

/** When a layer covers within a range, in order and without overlaps. */
function openHours(hours: readonly Hours[], clock: WallClock, range: Stretch): Stretch[] {
  // Hours of the day before may last until the next one, and a clock that is put back at midnight shows a day again.
  const [first, last] = [dayOf(clock.wallOf(range.from)) - dayMs, dayOf(clock.wallOf(range.to)) + dayMs];
  const open: Stretch[] = [];
  for (let day = first; day <= last; day += dayMs) open.push(...stretchesOfDay(hours, clock, day));
  const merged: Stretch[] = [];
  for (const { from, to } of open.sort((a, b) => a.from - b.from)) {
    const before = merged.at(-1);
    if (before !== undefined && from <= before.to) before.to = Math.max(before.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** The hours that begin on a day, which is given by its midnight on the clock. Hours that the clock skips are none. */
function stretchesOfDay(hours: readonly Hours[], clock: WallClock, day: number): Stretch[] {
  // The epoch began on a Thursday.
  const weekday = weekdays[(day / dayMs + 3) % 7];
  return hours
    .filter(({ days }) => days === null || days.some((one) => one === weekday))
    .map(({ fromMinute, toMinute }) => ({
      from: clock.instantOf(day + fromMinute * minuteMs),
      to: clock.instantOf(day + toMinute * minuteMs + (toMinute > fromMinute ? 0 : dayMs)),
    }))
    .filter(({ from, to }) => from < to);
}

/** The parts of turns that lie in one of the stretches. Both are in order and without overlaps. */
function meet(turns: readonly Turn[], stretches: readonly Stretch[]): Turn[] {
  const parts: Turn[] = [];
  let at = 0;
  for (const turn of turns) {
    while (at < stretches.length && (stretches[at]?.to ?? 0) <= turn.from) at += 1;
    for (let next = at; next < stretches.length; next += 1) {
      const stretch = stretches[next];
      if (stretch === undefined || stretch.from >= turn.to) break;
      parts.push({
        from: Math.max(turn.from, stretch.from),
        to: Math.min(turn.to, stretch.to),
        userId: turn.userId,
      });
    }
  }
  return parts;
}

/** A local time of a plan on a wall clock. */
function wallTime(local: string): number {
  return Date.parse(`${local}:00Z`);
}

function dayOf(wall: number): number {
  return Math.floor(wall / dayMs) * dayMs;
}
