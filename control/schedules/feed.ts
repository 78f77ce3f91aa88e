import { calendarDays } from '../../contract/manage/schedules.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import type { ScheduleDeps } from './change-schedule.js';
import {
  findScheduleByFeed,
  loadSchedule,
  peopleOf,
  planOf,
  type Schedule,
  type ScheduleRef,
} from './find-schedules.js';
import { shiftsOf } from './shifts.js';

/** The form of a token. Other texts never reach the database. */
const tokenForm = /^cal_[0-9A-Za-z]{43}$/;

/**
 * Gives the calendar of a schedule a new token, and returns it; nothing else returns or stores it. The one before stops
 * working.
 *
 * @throws ServiceError `notFound`
 */
export async function rotateFeed({ sql, clock, by }: ScheduleDeps, ref: ScheduleRef): Promise<string> {
  const token = `cal_${newSecret()}`;
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const schedule = await lockSchedule(tx, ref, now);
    await tx`
      update schedules set feed_token_hash = decode(${hashSecret(token)}, 'hex') where id = ${schedule.id}`;
    const changed = { hasFeed: true, feedChanged: true };
    await record(tx, { by, now }, { schedule, action: 'schedule.publish', after: changed });
  });
  return token;
}

/** Takes the calendar of a schedule away. @throws ServiceError `notFound` when there is none */
export async function removeFeed({ sql, clock, by }: ScheduleDeps, ref: ScheduleRef): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const schedule = await lockSchedule(tx, ref, now);
    if (!schedule.hasFeed) {
      throw new ServiceError('notFound', {
        message: 'The schedule has no calendar behind a secret address.',
      });
    }
    await tx`update schedules set feed_token_hash = null where id = ${schedule.id}`;
    await record(tx, { by, now }, { schedule, action: 'schedule.unpublish', after: { hasFeed: false } });
  });
}

async function lockSchedule(tx: Transaction, ref: ScheduleRef, now: number): Promise<Schedule> {
  await tx`
    select 1 from schedules where page_id = ${ref.pageId} and slug = ${ref.slug} for no key update`;
  return loadSchedule(tx, { ...ref, since: now });
}

async function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { schedule, action, after }: { schedule: Schedule; action: string; after: Record<string, boolean> },
): Promise<void> {
  await recordChange(tx, audit, {
    pageId: schedule.pageId,
    action,
    target: { type: 'schedule', id: schedule.id, name: schedule.slug },
    before: { hasFeed: schedule.hasFeed },
    after,
  });
}

/** A shift as a calendar shows it. Times are in milliseconds since the epoch. */
export type CalendarShift = {
  /** Stays the same as long as the shift does. */
  id: string;
  person: { email: string; name: string };
  from: number;
  to: number;
};

/** A schedule as its calendar shows it. */
export type ScheduleCalendar = { name: string; timeZone: string; shifts: CalendarShift[] };

/** Shifts of people who have taken over for longer begin here; longer ones are of layers with one person alone. */
const lookBackDays = 400;
const lookAheadDays = 92;

/**
 * Finds the calendar with a token: the shifts that end within the last seven days or later, and begin within the next
 * sixty. Returns `undefined` when there is none.
 */
export async function findCalendar(
  { sql }: { sql: Sql },
  { token, now }: { token: string; now: number },
): Promise<ScheduleCalendar | undefined> {
  if (!tokenForm.test(token)) return undefined;
  const since = now - lookBackDays * dayMs;
  const schedule = await findScheduleByFeed(sql, { tokenHash: hashSecret(token), since });
  return schedule && calendarOf(schedule, now);
}

/** Whole shifts, so that one does not move as the days pass; what begins before the look back has no begin of its own. */
function calendarOf(schedule: Schedule, now: number): ScheduleCalendar {
  const people = peopleOf(schedule);
  // At the same time of a day, so that a calendar that is asked for twice a day is the same twice.
  const today = now - (now % dayMs);
  const range = { from: today - lookBackDays * dayMs, to: today + lookAheadDays * dayMs };
  const shifts = shiftsOf(planOf(schedule), range).flatMap(({ from, to, userId, source }) => {
    const person = userId === null ? undefined : people.get(userId);
    const isShown = to > now - calendarDays.past * dayMs && from < now + calendarDays.next * dayMs;
    if (person === undefined || source === null || !isShown) return [];
    const begin = from === range.from ? 'always' : String(from);
    const why = 'layer' in source ? source.layer : source.override;
    const id = hashSecret([schedule.id, person.userId, why, begin].join('\n')).slice(0, 32);
    return [{ id, person: { email: person.email, name: person.name }, from, to }];
  });
  return { name: schedule.name, timeZone: schedule.timeZone, shifts };
}
