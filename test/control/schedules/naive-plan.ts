import { weekdays } from '../../../contract/manage/schedules.js';
import type { Layer, Plan, Source, Stretch } from '../../../control/schedules/plan.js';
import type { PlannedShift } from '../../../control/schedules/shifts.js';
import type { UserId } from '../../../lib/ids.js';
import { dayMs, minuteMs } from '../../../lib/times.js';

/**
 * Says who is on call by walking through a range minute by minute, with a clock on the wall that Intl reads. When the
 * clock is put back, the walker keeps the latest time that it has seen until the clock shows it again: so nothing begins
 * twice, and what the clock skips begins when it has skipped. All times of the plan and the range are whole minutes.
 */
export function walkPlan(plan: Plan, range: Stretch): PlannedShift[] {
  const shifts: PlannedShift[] = [];
  const read = clockOf(plan.timeZone);
  let lastKey = '';
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = range.from - dayMs; at < range.to; at += minuteMs) {
    latest = Math.max(latest, read(at));
    if (at < range.from) continue;
    const before = shifts.at(-1);
    const shift: PlannedShift = {
      ...{ from: at, to: at + minuteMs },
      ...(decide(plan, at, latest) ?? { userId: null, source: null }),
    };
    const key = `${shift.userId} ${JSON.stringify(shift.source)}`;
    if (before !== undefined && key === lastKey) before.to = shift.to;
    else shifts.push(shift);
    lastKey = key;
  }
  return shifts;
}

type OnCall = { userId: UserId; source: Source };

function decide(plan: Plan, at: number, wall: number): OnCall | undefined {
  let found: OnCall | undefined;
  for (const layer of plan.layers) {
    const userId = ofLayer(layer, wall);
    if (userId !== null) found = { userId, source: { layer: layer.name } };
  }
  for (const { id, userId, from, to } of plan.overrides) {
    if (userId !== null && at >= from && at < to) found = { userId, source: { override: id } };
  }
  return found;
}

function ofLayer({ people, handoff, everyDays, hours }: Layer, wall: number): UserId | null {
  const since = wall - Date.parse(`${handoff}Z`);
  if (since < 0) return null;
  const shown = new Date(wall);
  const minute = shown.getUTCHours() * 60 + shown.getUTCMinutes();
  const nameOf = (day: number) => weekdays[(new Date(day).getUTCDay() + 6) % 7] ?? 'mon';
  const [dayName, nameBefore] = [nameOf(wall), nameOf(wall - dayMs)];
  const isOpen =
    hours === null ||
    hours.some(({ fromMinute, toMinute, days }) => {
      const beginsToday = days?.includes(dayName) ?? true;
      const beganYesterday = days?.includes(nameBefore) ?? true;
      if (toMinute > fromMinute) return beginsToday && minute >= fromMinute && minute < toMinute;
      return (beginsToday && minute >= fromMinute) || (beganYesterday && minute < toMinute);
    });
  return isOpen ? (people[Math.floor(since / (everyDays * dayMs)) % people.length] ?? null) : null;
}

/**
 * Returns what reads the clock of a zone, in milliseconds as if the zone were UTC. No clock changes within a quarter of an
 * hour, and reading one costs 20 µs.
 */
function clockOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  let [quarter, wall] = [Number.NaN, Number.NaN];
  return (at) => {
    const start = at - (at % (15 * minuteMs));
    if (start !== quarter) wall = Date.parse(`${format.format(start).replace(' ', 'T')}Z`);
    quarter = start;
    return wall + at - start;
  };
}
