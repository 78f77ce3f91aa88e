import {
  type ManagedSchedule,
  type OnCall,
  type PersonOnCall,
  type ScheduleOverride,
  type ScheduleShifts,
  type Shift,
  scheduleLimits,
} from '../../contract/manage/schedules.js';
import type { UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import {
  fieldsOf,
  peopleOf,
  planOf,
  type Schedule,
  type ScheduledPerson,
  type StoredOverride,
} from './find-schedules.js';
import type { Source, Stretch } from './plan.js';
import { coversOf, shiftsOf, standingAt } from './shifts.js';

/** The parts of a schedule that decide its shifts. */
type ShownSchedule = Pick<Schedule, 'timeZone' | 'layers' | 'overrides'>;

/** Returns a schedule as its page shows it at a time, in milliseconds since the epoch. */
export function toManagedSchedule(schedule: Schedule, now: number): ManagedSchedule {
  const { slug, overrides, hasFeed, createdAt } = schedule;
  const ahead = { from: now, to: now + scheduleLimits.warnedDays * dayMs };
  const people = schedule.layers.flatMap((layer) => layer.people.flatMap((person) => person ?? []));
  const withoutRole = people.filter(({ mayBeTold }) => !mayBeTold).map(({ email }) => email);
  return {
    slug,
    ...fieldsOf(schedule),
    overrides: overrides
      .filter(({ to }) => to > now)
      .sort((a, b) => a.from - b.from)
      .map(toOverride),
    withoutRole: [...new Set(withoutRole)].sort(),
    gaps: shiftsOf(planOf(schedule), ahead).filter(({ userId }) => userId === null).length,
    hasFeed,
    createdAt: createdAt.toISOString(),
  };
}

/** Returns an override as its schedule shows it. */
export function toOverride({ id, person, from, to }: StoredOverride): ScheduleOverride {
  return { id, person: shown(person), from: timeOf(from), to: timeOf(to) };
}

/** Returns who of a schedule is on call at a time, in milliseconds since the epoch, and who is next. */
export function toOnCall(schedule: Schedule, at: number): OnCall {
  const { now, next } = standingAt(planOf(schedule), at);
  const people = peopleOf(schedule);
  return {
    ...{ slug: schedule.slug, name: schedule.name, at: timeOf(at) },
    now: now && {
      person: find(people, now.userId),
      until: now.until === null ? null : timeOf(now.until),
      ...sourceOf(now.source),
    },
    next: next && { person: find(people, next.userId), from: timeOf(next.from) },
  };
}

/**
 * Returns the shifts of a schedule within a range, which is bounded by whoever asks, and what its layers cover by themselves.
 *
 * @throws ServiceError `invalidParameter` for more shifts than one answer has.
 */
export function toShifts(
  schedule: ShownSchedule,
  range: Stretch,
  { withLayers = false }: { withLayers?: boolean } = {},
): ScheduleShifts {
  const plan = planOf(schedule);
  const planned = shiftsOf(plan, range);
  if (planned.length > scheduleLimits.shifts) {
    throw new ServiceError('invalidParameter', {
      message: `The range has ${planned.length} shifts, and an answer at most ${scheduleLimits.shifts}; ask for a shorter range.`,
    });
  }
  const people = peopleOf(schedule);
  const shifts = planned.map(
    ({ from, to, userId, source }): Shift => ({
      ...{ from: timeOf(from), to: timeOf(to) },
      person: userId === null ? null : find(people, userId),
      ...sourceOf(source),
    }),
  );
  const gaps = shifts.filter(({ person }) => person === null).length;
  return {
    ...{ from: timeOf(range.from), to: timeOf(range.to), timeZone: schedule.timeZone },
    ...(withLayers && {
      layers: coversOf(plan, range).map(({ name, turns }) => ({
        name,
        covers: turns.map(({ from, to, userId }) => ({
          ...{ from: timeOf(from), to: timeOf(to), person: find(people, userId) },
        })),
      })),
    }),
    ...{ shifts, gaps },
  };
}

function sourceOf(source: Source | null): Pick<Shift, 'layer' | 'override'> {
  if (source === null) return { layer: null, override: null };
  return 'layer' in source
    ? { layer: source.layer, override: null }
    : { layer: null, override: source.override };
}

function find(people: Map<UserId, ScheduledPerson>, id: UserId): PersonOnCall {
  const person = people.get(id);
  if (person === undefined) throw new Error('A schedule has put somebody on call whom it does not name.');
  return shown(person);
}

function shown({ email, name }: PersonOnCall): PersonOnCall {
  return { email, name };
}

function timeOf(time: number): string {
  return new Date(time).toISOString();
}
