import { isDeepStrictEqual } from 'node:util';
import { objectiveLimits } from '../../contract/manage/objectives.js';
import type { Clock } from '../../lib/clock.js';
import { type MonitorId, newId, type ObjectiveId, type PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkResourceSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import {
  findObjective,
  noObjective,
  type Objective,
  type ObjectiveFields,
  type ObjectiveRef,
} from './objective.js';
import { parseObjective, type SentObjective } from './parse-objective.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

/** The rules of an objective, in the transaction of its change. */
type RuleDeps = {
  /** Makes the rules that alert when the budget of a new objective burns too fast. */
  addRules?(tx: Transaction, objective: Objective): Promise<void>;
  /** Lets the rules that it made follow an objective that has another name or window. */
  followRules?(tx: Transaction, change: { before: Objective; after: Objective }): Promise<void>;
  /** Deletes the rules that look at an objective. */
  removeRules(tx: Transaction, objective: Objective): Promise<void>;
};

/** May refuse a change by throwing. */
type Check<T> = (current: T) => void;

/**
 * Creates the objective with this slug, or replaces its fields. The same fields again change nothing.
 *
 * @param check gets the objective as it is, or `undefined` when there is none, in the transaction of the change.
 * @throws ServiceError `invalidBody` for a slug or a field that cannot be, and for a monitor that the page does not have;
 *   `conflict` when the page has as many as it may have; `notFound` when there is no such page; what `check` throws.
 */
export async function putObjective(
  deps: Deps & Pick<RuleDeps, 'addRules' | 'followRules'>,
  { pageId, slug, ...sent }: ObjectiveRef & SentObjective,
  check?: Check<Objective | undefined>,
): Promise<{ objective: Objective; isNew: boolean }> {
  checkResourceSlug(slug);
  const fields = parseObjective(sent);
  return inTransaction(deps.sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await findObjective(tx, { pageId, slug });
    check?.(before);
    if (before === undefined) await refuseTooMany(tx, pageId);
    const objective = await write(tx, deps, { ref: { pageId, slug }, before, fields });
    if (before === undefined) await deps.addRules?.(tx, objective);
    else await deps.followRules?.(tx, { before, after: objective });
    return { objective, isNew: before === undefined };
  });
}

/**
 * Changes the fields of an objective that are given.
 *
 * @throws ServiceError `notFound` when the page has no such objective; otherwise as putObjective() does.
 */
export async function changeObjective(
  deps: Deps & Pick<RuleDeps, 'followRules'>,
  { pageId, slug, ...changes }: ObjectiveRef & Partial<ObjectiveFields>,
  check?: Check<Objective>,
): Promise<Objective> {
  return inTransaction(deps.sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await findObjective(tx, { pageId, slug });
    if (before === undefined) throw noObjective({ slug });
    check?.(before);
    const fields = parseObjective({ ...fieldsOf(before), ...changes });
    const after = await write(tx, deps, { ref: { pageId, slug }, before, fields });
    await deps.followRules?.(tx, { before, after });
    return after;
  });
}

/**
 * Deletes an objective and the rules that look at it.
 *
 * @throws ServiceError `notFound` when the page has no such objective; what `check` throws.
 */
export async function deleteObjective(
  { sql, clock, by, removeRules }: Deps & Pick<RuleDeps, 'removeRules'>,
  { pageId, slug }: ObjectiveRef,
  check?: Check<Objective>,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await findObjective(tx, { pageId, slug });
    if (before === undefined) throw noObjective({ slug });
    check?.(before);
    await removeRules(tx, before);
    await tx`delete from objectives where id = ${before.id}`;
    await record(tx, { by, now: clock.now() }, { before, after: null });
  });
}

/** Objectives are counted, and keep their slugs, under the lock of the page. */
async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  const locked = await tx`select from pages where id = ${pageId} for no key update`;
  if (locked.length === 0) throw new ServiceError('notFound');
}

async function refuseTooMany(tx: Transaction, pageId: PageId): Promise<void> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from objectives where page_id = ${pageId}`;
  if ((row?.count ?? 0) < objectiveLimits.perPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${objectiveLimits.perPage} objectives, which is the most; delete one first.`,
  });
}

async function refuseTooManyPublic(tx: Transaction, pageId: PageId): Promise<void> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from objectives where page_id = ${pageId} and is_public`;
  if ((row?.count ?? 0) < objectiveLimits.publicPerPage) return;
  throw new ServiceError('conflict', {
    message: `The status page shows ${objectiveLimits.publicPerPage} objectives, which is the most; hide one first.`,
  });
}

type Change = { ref: ObjectiveRef; before: Objective | undefined; fields: ObjectiveFields };

async function write(
  tx: Transaction,
  { clock, by }: Deps,
  { ref, before, fields }: Change,
): Promise<Objective> {
  const { name, target, window, sli, isPublic } = fields;
  if (before !== undefined && isDeepStrictEqual(fieldsOf(before), fields)) return before;
  if (isPublic && !before?.isPublic) await refuseTooManyPublic(tx, ref.pageId);
  const now = clock.now();
  const {
    service = null,
    endpoint = null,
    method = null,
    underMs = null,
  } = 'requests' in sli ? sli.requests : {};
  const columns = {
    ...{ name, target, service, endpoint, method, under_ms: underMs },
    ...{ is_public: isPublic, updated_at: new Date(now) },
    window_days: 'days' in window ? window.days : null,
    calendar: 'calendar' in window ? window.calendar : null,
    monitor_id: 'monitor' in sli ? await findMonitor(tx, ref.pageId, sli.monitor.slug) : null,
  };
  if (before === undefined) {
    const own = { id: newId<ObjectiveId>(now), page_id: ref.pageId, slug: ref.slug };
    await tx`insert into objectives ${tx({ ...own, created_at: new Date(now), ...columns })}`;
  } else await tx`update objectives set ${tx(columns)} where id = ${before.id}`;
  const after = await findObjective(tx, ref);
  if (after === undefined) throw new Error('The objective that was just written is gone.');
  await record(tx, { by, now }, { before: before ?? null, after });
  return after;
}

async function findMonitor(tx: Transaction, pageId: PageId, slug: string): Promise<MonitorId> {
  const [monitor] = await tx<{ id: MonitorId }[]>`
    select id from monitors where page_id = ${pageId} and slug = ${slug} for key share`;
  if (monitor !== undefined) return monitor.id;
  throw new ServiceError('invalidBody', {
    message: `/sli/monitor/slug must be a monitor of the page; it has none with the slug "${slug}".`,
    field: '/sli/monitor/slug',
  });
}

function fieldsOf({ name, target, window, sli, isPublic }: Objective): ObjectiveFields {
  return { name, target, window, sli, isPublic };
}

function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  sides: { before: Objective | null; after: Objective } | { before: Objective; after: null },
): Promise<void> {
  const { before, after } = sides;
  const { id, pageId, slug } = sides.after ?? sides.before;
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  return recordChange(tx, audit, {
    pageId,
    action: `objective.${verb}`,
    target: { type: 'objective', id, name: slug },
    before: before && { slug, ...fieldsOf(before) },
    after: after && { slug, ...fieldsOf(after) },
  });
}
