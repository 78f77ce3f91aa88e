import { isDeepStrictEqual } from 'node:util';
import { monitorGroupsMax } from '../../../contract/manage/monitor-groups.js';
import type { Clock } from '../../../lib/clock.js';
import { type MonitorGroupId, newId, type PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { checkSlug } from '../../../lib/slug.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../../audit/index.js';
import { parseMonitorName, parseMonitorNames } from '../public-settings.js';
import { lockMonitorsOf, numberMonitors } from './place-monitor.js';

/** A group under whose name a page shows monitors. */
export type Group = {
  id: MonitorGroupId;
  slug: string;
  /** In the default language of the page; `names` has its other names, by language. */
  name: string;
  names: Record<string, string>;
  /** Whether the page shows it closed while all of its services are operational. */
  collapsed: boolean;
  /** Place among the groups of the page, from 0. */
  position: number;
  createdAt: Date;
};

/** The fields that create or replace a group. */
export type PutGroup = Pick<Group, 'name'> & {
  names?: Record<string, string> | undefined;
  collapsed?: boolean | undefined;
};

/** Names one group. */
export type GroupRef = { pageId: PageId; slug: string };

type Deps = { sql: Sql; clock: Clock; by: Actor };

/** Lists the groups of a page, in its order. */
export async function listGroups(
  { sql }: { sql: Sql | Transaction },
  { pageId }: Pick<GroupRef, 'pageId'>,
): Promise<Group[]> {
  return selectGroups(sql, sql`page_id = ${pageId}`);
}

/**
 * Loads the group that `ref` names.
 *
 * @throws ServiceError `notFound` when there is no such group.
 */
export async function loadGroup({ sql }: { sql: Sql }, ref: GroupRef): Promise<Group> {
  return known(await findGroup(sql, ref), ref);
}

/**
 * Creates the group with this slug behind the others, or replaces its names and whether it is collapsed. The same values again change nothing.
 *
 * @param check gets the group as it is, or `undefined` when there is none, and may refuse the change by throwing.
 * @throws ServiceError `invalidBody` for a slug, a name or a language that cannot be, `conflict` when there are as many
 *   groups as there may be, `notFound` when there is no such page; what `check` throws.
 */
export async function putGroup(
  { sql, clock, by }: Deps,
  { name, names = {}, collapsed = false, ...ref }: GroupRef & PutGroup,
  check?: (current: Group | undefined) => void,
): Promise<{ group: Group; isNew: boolean }> {
  checkSlug(ref.slug);
  const shownName = parseGroupName(name);
  return inTransaction(sql, async (tx) => {
    const page = await lockPage(tx, ref.pageId);
    const before = await findGroup(tx, ref);
    check?.(before);
    const now = clock.now();
    const fields = { name: shownName, names: parseMonitorNames(page, names), collapsed };
    const after = before === undefined ? await makeGroup(tx, ref, fields, now) : { ...before, ...fields };
    if (isDeepStrictEqual(before, after)) return { group: after, isNew: false };
    await tx`
      update monitor_groups set name = ${after.name}, names = ${tx.json(after.names)},
        collapsed = ${after.collapsed}
      where id = ${after.id}`;
    const verb = before === undefined ? 'create' : 'update';
    await record(tx, { by, now }, { pageId: ref.pageId, verb, before: before ?? null, after });
    return { group: after, isNew: before === undefined };
  });
}

/**
 * Deletes a group, and returns it. Its monitors stay, in front of the groups.
 *
 * @throws ServiceError `notFound` when there is no such group; what `check` throws.
 */
export async function deleteGroup(
  { sql, clock, by }: Deps,
  ref: GroupRef,
  check?: (current: Group) => void,
): Promise<Group> {
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const group = known(await findGroup(tx, ref), ref);
    check?.(group);
    await lockMonitorsOf(tx, ref.pageId);
    await tx`delete from monitor_groups where id = ${group.id}`;
    await tx`
      update monitor_groups set position = position - 1
      where page_id = ${ref.pageId} and position > ${group.position}`;
    await numberMonitors(tx, ref.pageId);
    await record(
      tx,
      { by, now: clock.now() },
      { pageId: ref.pageId, verb: 'delete', before: group, after: null },
    );
    return group;
  });
}

type LockedPage = { slug: string; languages: string[]; defaultLanguage: string };

/**
 * Locks a page until the transaction ends, so that its groups and their order change one after the other. Incidents can
 * be opened meanwhile: what opens one may hold a monitor.
 *
 * @throws ServiceError `notFound` when there is no such page.
 */
export async function lockPage(tx: Transaction, pageId: PageId): Promise<LockedPage> {
  const [page] = await tx<LockedPage[]>`
    select slug, languages, default_language as "defaultLanguage" from pages where id = ${pageId}
    for no key update`;
  if (page === undefined) throw new ServiceError('notFound');
  return page;
}

async function makeGroup(
  tx: Transaction,
  { pageId, slug }: GroupRef,
  fields: Pick<Group, 'name' | 'names' | 'collapsed'>,
  now: number,
): Promise<Group> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from monitor_groups where page_id = ${pageId}`;
  const { count: position = 0 } = row ?? {};
  if (position >= monitorGroupsMax) {
    throw new ServiceError('conflict', {
      message: `The page has ${position} groups, which is the most; delete one first.`,
    });
  }
  const id = newId<MonitorGroupId>(now);
  const group = { id, slug, ...fields, position, createdAt: new Date(now) };
  await tx`
    insert into monitor_groups (id, page_id, slug, name, names, collapsed, position, created_at)
    values (${id}, ${pageId}, ${slug}, ${group.name}, ${tx.json(group.names)}, ${group.collapsed}, ${position},
      ${group.createdAt})`;
  return group;
}

function parseGroupName(name: string): string {
  try {
    return parseMonitorName(name);
  } catch {
    throw new ServiceError('invalidBody', {
      message: 'The name of a group must have 1 to 200 characters. It is one line of visible text.',
    });
  }
}

async function selectGroups(sql: Sql | Transaction, condition: Fragment): Promise<Group[]> {
  const rows = await sql<Group[]>`
    select id, slug, name, names, collapsed, position, created_at as "createdAt" from monitor_groups
    where ${condition} order by position, slug`;
  return [...rows];
}

async function findGroup(sql: Sql | Transaction, { pageId, slug }: GroupRef): Promise<Group | undefined> {
  const [group] = await selectGroups(sql, sql`page_id = ${pageId} and slug = ${slug}`);
  return group;
}

function known(group: Group | undefined, { slug }: GroupRef): Group {
  if (group !== undefined) return group;
  throw new ServiceError('notFound', { message: `The page has no group with the slug "${slug}".` });
}

type GroupChange = {
  pageId: PageId;
  verb: 'create' | 'update' | 'delete';
} & ({ before: Group | null; after: Group } | { before: Group; after: null });

function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { pageId, verb, before, after }: GroupChange,
): Promise<void> {
  const { id, slug } = after ?? before;
  const fieldsOf = ({ slug, name, names, collapsed }: Group): AuditedFields => ({
    ...{ slug, name, names, collapsed },
  });
  return recordChange(tx, audit, {
    pageId,
    action: `group.${verb}`,
    target: { type: 'group', id, name: slug },
    before: before && fieldsOf(before),
    after: after && fieldsOf(after),
  });
}
