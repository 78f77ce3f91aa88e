import type { LayerHours } from '../../contract/manage/schedules.js';
import type { OverrideId, PageId, ScheduleId, UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type LayerFields, type ScheduleFields, toHours } from './parse-schedule.js';
import type { Plan } from './plan.js';

/** Somebody whom a schedule names. */
export type ScheduledPerson = {
  userId: UserId;
  email: string;
  name: string;
  /** Whether the person has a role on the page and may sign in. Whoever may not is not on call. */
  mayBeTold: boolean;
};

/** A schedule as it is stored. */
export type Schedule = {
  id: ScheduleId;
  pageId: PageId;
  slug: string;
  name: string;
  timeZone: string;
  /** From the lowest to the highest; null in `people` for somebody whose account was deleted. */
  layers: (Omit<LayerFields, 'people'> & { people: (ScheduledPerson | null)[] })[];
  /** Overrides that had not ended at the time that was asked for, in the order in which they were made. */
  overrides: StoredOverride[];
  hasFeed: boolean;
  createdAt: Date;
};

/** Times are in milliseconds since the epoch. */
export type StoredOverride = { id: OverrideId; person: ScheduledPerson; from: number; to: number };

export type ScheduleRef = { pageId: PageId; slug: string };

type Row = Omit<Schedule, 'layers' | 'overrides'> & {
  layers:
    | {
        name: string;
        handoff: string;
        count: number;
        unit: 'days' | 'weeks';
        hours: LayerHours[] | null;
        people: (ScheduledPerson | null)[];
      }[]
    | null;
  overrides: StoredOverride[] | null;
};

/**
 * Lists the schedules of a page by slug, with the overrides that end after `since`, in milliseconds since the epoch. A
 * page has at most fifty.
 */
export async function listSchedules(
  sql: Sql | Transaction,
  { pageId, since }: { pageId: PageId; since: number },
): Promise<Schedule[]> {
  return selectSchedules(sql, { condition: sql`s.page_id = ${pageId}`, since });
}

/** Finds the schedule of a page with a slug; the rest as listSchedules() does. */
export async function findSchedule(
  sql: Sql | Transaction,
  { pageId, slug, since }: ScheduleRef & { since: number },
): Promise<Schedule | undefined> {
  const [schedule] = await selectSchedules(sql, {
    condition: sql`s.page_id = ${pageId} and s.slug = ${slug}`,
    since,
  });
  return schedule;
}

/** findSchedule() for one that must be there. @throws ServiceError `notFound` */
export async function loadSchedule(
  sql: Sql | Transaction,
  ref: ScheduleRef & { since: number },
): Promise<Schedule> {
  return known(await findSchedule(sql, ref), ref);
}

/** @throws ServiceError `notFound` for a schedule that is not there. */
export function known(schedule: Schedule | undefined, { slug }: Pick<ScheduleRef, 'slug'>): Schedule {
  if (schedule !== undefined) return schedule;
  throw new ServiceError('notFound', {
    message: `The page has no schedule with the slug "${slug.slice(0, 60)}".`,
  });
}

/** Finds the schedule whose calendar has this token, given as its SHA-256; the rest as listSchedules() does. */
export async function findScheduleByFeed(
  sql: Sql,
  { tokenHash, since }: { tokenHash: string; since: number },
): Promise<Schedule | undefined> {
  const [schedule] = await selectSchedules(sql, {
    condition: sql`s.feed_token_hash = decode(${tokenHash}, 'hex')
      and exists (select from pages g where g.id = s.page_id and g.deleted_at is null)`,
    since,
  });
  return schedule;
}

async function selectSchedules(
  sql: Sql | Transaction,
  { condition, since }: { condition: Fragment; since: number },
): Promise<Schedule[]> {
  const person = sql`
    json_build_object('userId', u.id, 'email', u.email, 'name', u.name, 'mayBeTold', u.disabled_at is null
      and exists (select from page_roles r where r.page_id = s.page_id and r.user_id = u.id))`;
  const rows = await sql<Row[]>`
    select s.id, s.page_id as "pageId", s.slug, s.name, s.time_zone as "timeZone",
      s.feed_token_hash is not null as "hasFeed", s.created_at as "createdAt",
      (select json_agg(json_build_object(
          'name', l.name, 'handoff', l.handoff, 'count', l.every_count, 'unit', l.every_unit, 'hours', l.hours,
          'people', (select json_agg(case when u.id is not null then ${person} end order by p.position)
            from schedule_people p left join users u on u.id = p.user_id
            where p.schedule_id = l.schedule_id and p.layer_position = l.position)) order by l.position)
        from schedule_layers l where l.schedule_id = s.id) as layers,
      (select json_agg(json_build_object(
          'id', o.id, 'person', ${person}, 'from', (extract(epoch from o.starts_at) * 1000)::bigint,
          'to', (extract(epoch from o.ends_at) * 1000)::bigint) order by o.id)
        from schedule_overrides o join users u on u.id = o.user_id
        where o.schedule_id = s.id and o.ends_at > ${new Date(since)}) as overrides
    from schedules s where ${condition} order by s.slug`;
  return rows.map(({ layers, overrides, ...row }) => ({
    ...row,
    layers: (layers ?? []).map(({ count, unit, ...layer }) => ({ ...layer, every: { [unit]: count } })),
    overrides: overrides ?? [],
  }));
}

/** Returns what decides who of a schedule is on call. People who may not be told cover nothing. */
export function planOf({
  timeZone,
  layers,
  overrides,
}: Pick<Schedule, 'timeZone' | 'layers' | 'overrides'>): Plan {
  const idOf = (person: ScheduledPerson | null) => (person?.mayBeTold === true ? person.userId : null);
  return {
    timeZone,
    layers: layers.map(({ name, people, handoff, every, hours }) => ({
      ...{ name, handoff, people: people.map(idOf) },
      everyDays: every.days ?? 7 * (every.weeks ?? 1),
      hours: hours?.map(toHours) ?? null,
    })),
    overrides: overrides.map(({ id, person, from, to }) => ({ id, userId: idOf(person), from, to })),
  };
}

/** Returns the fields that people set. */
export function fieldsOf({ name, timeZone, layers }: Schedule): ScheduleFields {
  const emails = layers.map(({ people, ...layer }) => ({
    ...layer,
    people: people.map((person) => person?.email ?? null),
  }));
  return { name, timeZone, layers: emails };
}

/** The people of a schedule by id. */
export function peopleOf({
  layers,
  overrides,
}: Pick<Schedule, 'layers' | 'overrides'>): Map<UserId, ScheduledPerson> {
  const people = [...layers.flatMap((layer) => layer.people), ...overrides.map(({ person }) => person)];
  return new Map(people.flatMap((person) => (person === null ? [] : [[person.userId, person]])));
}
