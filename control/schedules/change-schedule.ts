import { isDeepStrictEqual } from 'node:util';
import { type ChangeSchedule, type PutSchedule, scheduleLimits } from '../../contract/manage/schedules.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type ScheduleId, type UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkResourceSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { findPeople } from './find-people.js';
import {
  fieldsOf,
  findSchedule,
  known,
  loadSchedule,
  type Schedule,
  type ScheduleRef,
} from './find-schedules.js';
import { parseSchedule, type ScheduleFields } from './parse-schedule.js';

export type ScheduleDeps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Creates the schedule with this slug, or replaces its name, time zone and layers. Its overrides and its calendar stay.
 * The same again changes nothing.
 *
 * @param check gets the schedule as it is, or `undefined` when there is none, and may refuse the change by throwing.
 * @throws ServiceError `invalidBody` that names the field, such as a person without a role on the page; `conflict` when
 *   there are as many schedules as there may be; `notFound` when there is no such page; what `check` throws.
 */
export async function putSchedule(
  { sql, clock, by }: ScheduleDeps,
  { fields, ...ref }: ScheduleRef & { fields: PutSchedule },
  check?: (current: Schedule | undefined) => void,
): Promise<{ schedule: Schedule; isNew: boolean }> {
  checkResourceSlug(ref.slug);
  const parsed = parseSchedule(fields);
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const now = clock.now();
    const before = await findSchedule(tx, { ...ref, since: now });
    check?.(before);
    if (before !== undefined) {
      return { schedule: await replace(tx, { by, now }, before, parsed), isNew: false };
    }
    await checkRoom(tx, ref.pageId);
    const id = newId<ScheduleId>(now);
    await tx`
      insert into schedules (id, page_id, slug, name, time_zone, created_at)
      values (${id}, ${ref.pageId}, ${ref.slug}, ${parsed.name}, ${parsed.timeZone}, ${new Date(now)})`;
    await insertLayers(tx, { id, pageId: ref.pageId }, parsed);
    const after = await loadSchedule(tx, { ...ref, since: now });
    await record(tx, { by, now }, { verb: 'create', before: null, after });
    return { schedule: after, isNew: true };
  });
}

/**
 * Changes the fields of a schedule that are there.
 *
 * @throws ServiceError `notFound`; `invalidBody` as putSchedule() does; what `check` throws.
 */
export async function changeSchedule(
  { sql, clock, by }: ScheduleDeps,
  { changes, ...ref }: ScheduleRef & { changes: ChangeSchedule },
  check?: (current: Schedule) => void,
): Promise<Schedule> {
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const now = clock.now();
    const before = await loadSchedule(tx, { ...ref, since: now });
    check?.(before);
    const { layers, ...rest } = fieldsOf(before);
    const parsed = parseSchedule({
      name: changes.name ?? rest.name,
      timeZone: changes.timeZone ?? rest.timeZone,
      layers: changes.layers ?? [],
    });
    return replace(tx, { by, now }, before, changes.layers === undefined ? { ...parsed, layers } : parsed);
  });
}

/**
 * Deletes a schedule with its overrides and its calendar, and returns it.
 *
 * @throws ServiceError `notFound`; `conflict` that names a policy in which it is; what `check` throws.
 */
export async function deleteSchedule(
  { sql, clock, by }: ScheduleDeps,
  ref: ScheduleRef,
  check?: (current: Schedule) => void,
): Promise<Schedule> {
  return inTransaction(sql, async (tx) => {
    // Policies change behind the same lock, so that none takes the schedule in meanwhile.
    await lockPage(tx, ref.pageId);
    const now = clock.now();
    const before = await loadSchedule(tx, { ...ref, since: now });
    check?.(before);
    const [policy] = await tx<{ slug: string }[]>`
      select p.slug from policy_targets g join policies p on p.id = g.policy_id
      where g.schedule_id = ${before.id} order by p.slug limit 1`;
    if (policy !== undefined) {
      throw new ServiceError('conflict', {
        message: `The policy "${policy.slug}" tells this schedule; take it out of its steps first.`,
      });
    }
    await tx`delete from schedules where id = ${before.id} and page_id = ${ref.pageId}`;
    await record(tx, { by, now }, { verb: 'delete', before, after: null });
    return before;
  });
}

/** Locks a page until the transaction ends. @throws ServiceError `notFound` when there is no such page. */
async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  const { count } = await tx`select 1 from pages where id = ${pageId} for no key update`;
  if (count === 0) throw new ServiceError('notFound');
}

async function checkRoom(tx: Transaction, pageId: PageId): Promise<void> {
  const { count } = await tx`select 1 from schedules where page_id = ${pageId}`;
  if (count < scheduleLimits.schedules) return;
  throw new ServiceError('conflict', {
    message: `The page has ${count} schedules, which is the most; delete one first.`,
  });
}

async function replace(
  tx: Transaction,
  audit: { by: Actor; now: number },
  before: Schedule,
  fields: ScheduleFields,
): Promise<Schedule> {
  const was = fieldsOf(before);
  if (isDeepStrictEqual(was, fields)) return before;
  const { id, pageId, slug } = before;
  await tx`update schedules set name = ${fields.name}, time_zone = ${fields.timeZone} where id = ${id}`;
  if (!isDeepStrictEqual(was.layers, fields.layers)) {
    await tx`delete from schedule_layers where schedule_id = ${id}`;
    await insertLayers(tx, { id, pageId }, fields);
  }
  const after = known(await findSchedule(tx, { pageId, slug, since: audit.now }), { slug });
  await record(tx, audit, { verb: 'update', before, after });
  return after;
}

/** @throws ServiceError `invalidBody` that names somebody who has no role on the page. */
async function insertLayers(
  tx: Transaction,
  { id, pageId }: { id: ScheduleId; pageId: PageId },
  { layers }: ScheduleFields,
): Promise<void> {
  const named = layers.flatMap(({ people }, layer) =>
    people.map((email, at) => ({ email: email ?? '', field: `/layers/${layer}/people/${at}` })),
  );
  const idOf = await findPeople(tx, pageId, named);
  for (const [position, { name, handoff, every, hours, people }] of layers.entries()) {
    await tx`
      insert into schedule_layers (schedule_id, position, page_id, name, handoff, every_count, every_unit, hours)
      values (${id}, ${position}, ${pageId}, ${name}, ${handoff}, ${every.days ?? every.weeks ?? 1},
        ${every.days === undefined ? 'weeks' : 'days'}, ${hours === null ? null : tx.json(hours)})`;
    const rows = people.map((email, at) => ({
      ...{ schedule_id: id, layer_position: position, position: at, page_id: pageId },
      user_id: idOf.get(email ?? '') ?? (null as UserId | null),
    }));
    await tx`insert into schedule_people ${tx(rows)}`;
  }
}

type ScheduleChange =
  | { verb: 'create'; before: null; after: Schedule }
  | { verb: 'update'; before: Schedule; after: Schedule }
  | { verb: 'delete'; before: Schedule; after: null };

async function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { verb, before, after }: ScheduleChange,
): Promise<void> {
  const { id, pageId, slug } = after ?? before;
  await recordChange(tx, audit, {
    pageId,
    action: `schedule.${verb}`,
    target: { type: 'schedule', id, name: slug },
    before: before && { slug, ...fieldsOf(before) },
    after: after && { slug, ...fieldsOf(after) },
  });
}
