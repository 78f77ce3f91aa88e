import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { findTimeZone } from '../../lib/locale/time.js';
import { ServiceError } from '../../lib/service-error.js';

/** When a maintenance recurs; fields as in the contract. */
export type Schedule = { startsAt: string; timeZone: string; durationMinutes: number; rule: string };
export type Occurrence = { startsAt: Date; endsAt: Date };

const minuteMs = 60_000;
/** First starts that are accepted: from so many years before the current one. */
const yearsBack = 5;
const lastYear = 2_099;
const horizon = Date.UTC(2_200, 0, 1);
/** Rules with COUNT are counted from their first start each time. */
const countMax = 366;
const intervalMax = 366;
/** Products of the lengths of all lists of a rule: each is a day that may be looked at. */
const combinationsMax = 100;
/** Occurrences that parseSchedule() compares with the next one. */
const comparedCount = 30;

/** Enough for a 29 February at any weekday; a rule that finds nothing until then names days that do not exist. */
const work = { maxIterations: 4_000, maxCandidateEvaluations: 20_000 };

/**
 * The occurrences that have not ended at `after` (milliseconds since the epoch), in their order. A start that the clock
 * of the zone skips does not exist, and of one that it shows twice the first counts, as RFC 5545 says.
 *
 * @param count most that are wanted.
 * @param from first start, and `before` the end of the range of starts, in milliseconds since the epoch.
 */
export function occurrencesAfter(
  schedule: Schedule,
  after: number,
  { count, from = 0, before = horizon }: { count: number; from?: number; before?: number },
): Occurrence[] {
  const durationMs = schedule.durationMinutes * minuteMs;
  const [behind, end] = [Math.max(after - durationMs, from - 1), Math.min(before, horizon)];
  const starts: number[] = [];
  const rule = openRule(schedule, behind);
  try {
    rule?.all(({ epochMilliseconds: start }) => {
      if (start >= end || starts.length >= count) return false;
      if (start > behind) starts.push(start);
      return true;
    });
  } catch (error) {
    refuseOther(error);
  }
  return starts.map((start) => ({ startsAt: new Date(start), endsAt: new Date(start + durationMs) }));
}

/** Whether a schedule never ends. */
export function endsNever({ rule }: Pick<Schedule, 'rule'>): boolean {
  return !/(?:^|;)(?:COUNT|UNTIL)=/.test(rule);
}

/** The library gives up on rules that name days that do not exist; what it has found until then counts. */
function refuseOther(error: unknown): void {
  if (!(error instanceof Error) || !/^Maximum /.test(error.message)) throw error;
}

/**
 * Returns `undefined` for a first start that does not exist.
 *
 * @param behind a rule without COUNT begins near this time, in milliseconds since the epoch.
 */
function openRule(schedule: Schedule, behind?: number): RRuleTemporal | undefined {
  const { rule, startsAt, timeZone } = schedule;
  const first = firstStart({ startsAt, timeZone });
  if (first === undefined) return undefined;
  // Weeks by number have the weekday of the first start.
  const isNear = behind === undefined || /(?:^|;)(?:COUNT|BYWEEKNO)=/.test(rule);
  const dtstart = isNear ? first : startNear(first, schedule, behind);
  return new RRuleTemporal({ rruleString: `RRULE:${rule}`, dtstart, strict: true, cache: false, ...work });
}

const units = { DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months', YEARLY: 'years' } as const;
const unitMs = { days: 86_400_000, weeks: 7 * 86_400_000, months: 31 * 86_400_000, years: 366 * 86_400_000 };
/** Steps back to a start that has the same day and hour: a leap day comes again after eight years at most. */
const stepsBackMax = 12;

/** Returns a start of the same phase, at least one interval before `behind`, so that no time after it is passed over. */
function startNear(
  first: Temporal.ZonedDateTime,
  { rule }: Schedule,
  behind: number,
): Temporal.ZonedDateTime {
  const unit = Object.entries(units).find(([name]) => rule.includes(`FREQ=${name}`))?.[1] ?? 'days';
  const interval = Number(/(?:^|;)INTERVAL=(\d+)/.exec(rule)?.[1] ?? 1);
  const wall = first.toPlainDateTime();
  const most = Math.floor((behind - first.epochMilliseconds) / (unitMs[unit] * interval)) - 1;
  for (let steps = most; steps > 0 && steps > most - stepsBackMax; steps -= 1) {
    const moved = wall.add({ [unit]: steps * interval });
    const start = moved.toZonedDateTime(first.timeZoneId, { disambiguation: 'earlier' });
    const isSameDay = unit === 'days' || unit === 'weeks' || moved.day === wall.day;
    if (isSameDay && start.toPlainDateTime().equals(moved)) return start;
  }
  return first;
}

function firstStart({ startsAt, timeZone }: Pick<Schedule, 'startsAt' | 'timeZone'>) {
  try {
    const wall = Temporal.PlainDateTime.from(startsAt, { overflow: 'reject' });
    const start = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
    return start.toPlainDateTime().equals(wall) ? start : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns the schedule in its usual form: the zone as the database of zones names it, the rule in capitals.
 *
 * @param now in milliseconds since the epoch.
 * @throws ServiceError `invalidBody` for a zone, a start or a rule that does not exist, for a rule that is not of this
 *   kind, without an occurrence to come, and with occurrences that overlap.
 */
export function parseSchedule(sent: Schedule, now: number): Schedule {
  const timeZone = findTimeZone(sent.timeZone);
  if (timeZone === undefined) {
    throw invalid('/timeZone must be the name of a time zone, such as Europe/Berlin or UTC.');
  }
  const schedule = { ...sent, timeZone, rule: sent.rule.trim().toUpperCase() };
  const year = Number(schedule.startsAt.slice(0, 4));
  const firstYear = new Date(now).getUTCFullYear() - yearsBack;
  if (year < firstYear || year > lastYear || firstStart(schedule) === undefined) {
    throw invalid(
      `/startsAt must be a time from ${firstYear} to ${lastYear} that the clock of ${timeZone} shows, such as 2026-12-06T02:00.`,
    );
  }
  checkParts(schedule.rule);
  checkRule(schedule);
  const next = occurrencesAfter(schedule, now, { count: comparedCount });
  if (next.length === 0) throw invalid('/rule must give an occurrence that is still to come; it gives none.');
  if (next.some(({ startsAt }, i) => i > 0 && Number(startsAt) < Number(next[i - 1]?.endsAt))) {
    throw new ServiceError('invalidBody', {
      code: 'maintenance.overlaps',
      message: '/durationMinutes must be so short that each occurrence ends before the next one begins.',
    });
  }
  return schedule;
}

/** Checks a rule with the library. @throws ServiceError `invalidBody` with the mistake that the library found */
function checkRule(schedule: Schedule): void {
  try {
    openRule(schedule);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason =
      /UNTIL/.test(error.message) && !/COUNT/.test(error.message)
        ? 'have UNTIL as a time in UTC, such as UNTIL=20271231T230000Z'
        : `be a rule of RFC 5545: ${error.message}`;
    throw invalid(`/rule must ${reason}.`);
  }
}

const days = '(?:MO|TU|WE|TH|FR|SA|SU)';
const numbers = (max: number) => (text: string) =>
  text
    .split(',')
    .every((one) => /^[+-]?\d{1,3}$/.test(one) && Number(one) !== 0 && Math.abs(Number(one)) <= max);
const upTo = (max: number) => (text: string) =>
  /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= max;
const like = (form: RegExp) => (text: string) => form.test(text);

/** The parts that a rule may have, with what their values must be. */
const parts: Readonly<Record<string, (value: string) => boolean>> = {
  FREQ: like(/^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/),
  INTERVAL: upTo(intervalMax),
  COUNT: upTo(countMax),
  UNTIL: like(/^\d{8}T\d{6}Z$/),
  BYDAY: like(new RegExp(`^[+-]?\\d{0,2}${days}(?:,[+-]?\\d{0,2}${days})*$`)),
  BYMONTH: (text) => text.split(',').every(upTo(12)),
  BYMONTHDAY: numbers(31),
  BYYEARDAY: numbers(366),
  BYWEEKNO: numbers(53),
  BYSETPOS: numbers(366),
  WKST: like(new RegExp(`^${days}$`)),
};

const values: Readonly<Record<string, string>> = {
  FREQ: 'DAILY, WEEKLY, MONTHLY or YEARLY',
  INTERVAL: `1 to ${intervalMax}`,
  COUNT: `1 to ${countMax}`,
  UNTIL: 'a time in UTC, such as 20271231T230000Z',
};

/** The library passes over parts that it does not know. @throws ServiceError `invalidBody` */
function checkParts(rule: string): void {
  const seen = new Set<string>();
  for (const part of rule.split(';')) {
    const [name = '', value, ...rest] = part.split('=');
    const fits = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (fits === undefined || value === undefined || rest.length > 0 || seen.has(name)) {
      throw invalid(
        `/rule must be a rule such as FREQ=WEEKLY;BYDAY=SU, of the parts ${Object.keys(parts).join(', ')}, each once.`,
      );
    }
    if (!fits(value)) throw invalid(`/rule must have ${values[name] ?? 'what RFC 5545 allows'} for ${name}.`);
    seen.add(name);
  }
  const combinations = [...rule.matchAll(/BY[A-Z]+=([^;]*)/g)].reduce(
    (product, [, list = '']) => product * list.split(',').length,
    1,
  );
  if (combinations > combinationsMax) {
    throw invalid(
      `/rule must name less: its lists, multiplied, have ${combinations} values, and may have ${combinationsMax}.`,
    );
  }
  if (!seen.has('FREQ')) throw invalid(`/rule must have FREQ, which is ${values['FREQ']}.`);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
