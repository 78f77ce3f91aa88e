import { fromWallTime, toWallTime } from '../../../kit/form/zoned-time.js';

export const repeats = ['never', 'weekly', 'fortnightly', 'monthly', 'own'] as const;
export const ends = ['never', 'count', 'date'] as const;

/** How a maintenance recurs, as a form has it. */
export type Recurrence = {
  repeat: (typeof repeats)[number];
  /** A rule of RFC 5545, for `own`. */
  ownRule: string;
  end: (typeof ends)[number];
  /** How often, for an end by `count`. */
  count: number | null;
  /** Last day such as `2026-12-31`, for an end by `date`; empty while nothing is entered. */
  lastDay: string;
  noticeDays: number | null;
};

export const noRecurrence: Recurrence = {
  ...{ repeat: 'never', ownRule: '', end: 'never', count: 10, lastDay: '', noticeDays: 7 },
};

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;

/** The weekday of a clock such as `2026-12-06T02:00`, and the how-many-eth of its month it is. */
export function weekdayOf(wallTime: string): { day: (typeof weekdays)[number]; index: number; nth: number } {
  const index = new Date(`${wallTime.slice(0, 10)}T00:00:00Z`).getUTCDay();
  return { index, day: weekdays[index] ?? 'SU', nth: Math.ceil(Number(wallTime.slice(8, 10)) / 7) };
}

/**
 * The rule of RFC 5545; `undefined` for what does not recur, or whose end is not entered yet.
 *
 * @param startsAt what the clock of the zone shows at the first start, such as `2026-12-06T02:00`.
 * @param zone IANA name.
 */
export function ruleOf(recurrence: Recurrence, startsAt: string, zone: string): string | undefined {
  const { repeat, ownRule } = recurrence;
  if (repeat === 'never' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(startsAt)) return undefined;
  if (repeat === 'own') return ownRule.trim() === '' ? undefined : ownRule.trim().toUpperCase();
  const end = endOf(recurrence, startsAt, zone);
  if (end === undefined) return undefined;
  const { day, nth } = weekdayOf(startsAt);
  if (repeat === 'monthly') return `FREQ=MONTHLY;BYDAY=${nth === 5 ? -1 : nth}${day}${end}`;
  return `FREQ=WEEKLY${repeat === 'fortnightly' ? ';INTERVAL=2' : ''};BYDAY=${day}${end}`;
}

function endOf({ end, count, lastDay }: Recurrence, startsAt: string, zone: string): string | undefined {
  if (end === 'never') return '';
  if (end === 'count') return count === null ? undefined : `;COUNT=${count}`;
  const last = fromWallTime(`${lastDay}T${startsAt.slice(11)}`, zone);
  return Number.isNaN(last) ? undefined : `;UNTIL=${toBasicTime(last)}`;
}

/** `20261231T010000Z`, as rules have times. */
function toBasicTime(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

function dayOfBasicTime(text: string, zone: string): string {
  const at = Date.parse(text.replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
  return Number.isNaN(at) ? '' : toWallTime(at, zone).slice(0, 10);
}

type SavedRule = { rule: string; startsAt: string; timeZone: string; noticeDays: number };

/** A saved rule as the form has it: as a preset where it is one. */
export function recurrenceOf({ rule, startsAt, timeZone, noticeDays }: SavedRule): Recurrence {
  const [, count] = /;COUNT=(\d+)$/.exec(rule) ?? [];
  const [, until] = /;UNTIL=(\d{8}T\d{6}Z)$/.exec(rule) ?? [];
  const saved: Recurrence = {
    ...noRecurrence,
    ...(count !== undefined && { end: 'count', count: Number(count) }),
    ...(until !== undefined && { end: 'date', lastDay: dayOfBasicTime(until, timeZone) }),
    noticeDays,
  };
  const repeat = repeats.find(
    (one) => one !== 'own' && ruleOf({ ...saved, repeat: one }, startsAt, timeZone) === rule,
  );
  return repeat === undefined
    ? { ...noRecurrence, repeat: 'own', ownRule: rule, noticeDays }
    : { ...saved, repeat };
}
