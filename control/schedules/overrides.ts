import { scheduleLimits } from '../../contract/manage/schedules.js';
import { newId, type OverrideId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import type { ScheduleDeps } from './change-schedule.js';
import { findPeople } from './find-people.js';
import { loadSchedule, type Schedule, type ScheduleRef, type StoredOverride } from './find-schedules.js';
import { checkOverride } from './parse-schedule.js';

/** Times are in milliseconds since the epoch. */
export type NewOverride = { person: string; from: number; to: number };

/**
 * Puts somebody on call from one time to another, whatever the layers say. Overrides that ended more than 400 days ago
 * are dropped.
 *
 * @throws ServiceError `notFound` when there is no such schedule; `invalidBody` for somebody without a role on the page and
 *   for times that are over or too far away; `conflict` when there are as many as there may be.
 */
export async function addOverride(
  { sql, clock, by }: ScheduleDeps,
  { person, from, to, ...ref }: ScheduleRef & NewOverride,
): Promise<StoredOverride> {
  const now = clock.now();
  checkOverride({ from, to }, now);
  return inTransaction(sql, async (tx) => {
    const schedule = await lockSchedule(tx, ref, now);
    const email = person.trim().toLowerCase();
    const userId = (await findPeople(tx, ref.pageId, [{ email, field: '/person' }])).get(email);
    await makeRoom(tx, schedule, now);
    const id = newId<OverrideId>(now);
    await tx`
      insert into schedule_overrides (id, schedule_id, page_id, user_id, starts_at, ends_at)
      values (${id}, ${schedule.id}, ${ref.pageId}, ${userId ?? null}, ${new Date(from)}, ${new Date(to)})`;
    const { overrides } = await loadSchedule(tx, { ...ref, since: now });
    const added = overrides.find((one) => one.id === id);
    if (added === undefined) throw new Error('The override that was added is not there.');
    await record(tx, { by, now }, { schedule, before: null, after: added });
    return added;
  });
}

/** Takes an override away that has not ended. @throws ServiceError `notFound` */
export async function deleteOverride(
  { sql, clock, by }: ScheduleDeps,
  { id, ...ref }: ScheduleRef & { id: string },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const schedule = await lockSchedule(tx, ref, now);
    const wanted = parseId<OverrideId>(id);
    const override = schedule.overrides.find((one) => one.id === wanted);
    if (override === undefined) {
      throw new ServiceError('notFound', {
        message: `The schedule has no override with the id "${id.slice(0, 60)}" that has not ended.`,
      });
    }
    await tx`delete from schedule_overrides where id = ${override.id} and page_id = ${ref.pageId}`;
    await record(tx, { by, now }, { schedule, before: override, after: null });
  });
}

/** Locks a schedule until the transaction ends, so that its overrides are counted one after the other. */
async function lockSchedule(tx: Transaction, ref: ScheduleRef, now: number): Promise<Schedule> {
  await tx`
    select 1 from schedules where page_id = ${ref.pageId} and slug = ${ref.slug} for no key update`;
  return loadSchedule(tx, { ...ref, since: now });
}

async function makeRoom(tx: Transaction, { id }: Schedule, now: number): Promise<void> {
  const kept = new Date(now - scheduleLimits.rangeDays * dayMs);
  await tx`delete from schedule_overrides where schedule_id = ${id} and ends_at < ${kept}`;
  const { count } = await tx`select 1 from schedule_overrides where schedule_id = ${id}`;
  if (count < scheduleLimits.overrides) return;
  throw new ServiceError('conflict', {
    message: `The schedule has ${count} overrides, which is the most; take one away, or put a layer in place of some.`,
  });
}

async function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { schedule, ...sides }: { schedule: Schedule } & Record<'before' | 'after', StoredOverride | null>,
): Promise<void> {
  const fields = (override: StoredOverride | null) =>
    override && {
      ...{ override: override.id, person: override.person.email },
      ...{ from: new Date(override.from), to: new Date(override.to) },
    };
  await recordChange(tx, audit, {
    pageId: schedule.pageId,
    action: 'schedule.override',
    target: { type: 'schedule', id: schedule.id, name: schedule.slug },
    before: fields(sides.before),
    after: fields(sides.after),
  });
}
