import { type PageRole, pageRoles } from '../../contract/permissions.js';
import { type PageId, parseId, type UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { type ChangeDeps, lockUser, type User } from './user.js';

/** Somebody with a role on a page. */
export type Person = {
  id: UserId;
  email: string;
  name: string;
  role: PageRole;
  /** Whether groups of the identity provider gave the role. */
  byGroups: boolean;
  disabledAt: Date | null;
  lastSignedInAt: Date | null;
  /** Since when the person has a role here. */
  createdAt: Date;
};

type ListPeopleInput = {
  pageId: PageId;
  limit: number;
  after?: { createdAt: Date; id: string } | undefined;
};

/** Lists at most `limit` people of a page, the newest roles first, behind the one with this role and id. */
export async function listPeople(
  { sql }: { sql: Sql },
  { pageId, limit, after }: ListPeopleInput,
): Promise<Person[]> {
  const behind =
    after === undefined
      ? sql``
      : sql`and (r.created_at, r.user_id) < (${after.createdAt}, ${after.id}::uuid)`;
  return selectPeople(
    sql,
    sql`r.page_id = ${pageId} ${behind} order by r.created_at desc, r.user_id desc limit ${limit}`,
  );
}

/** One person of a page. @throws ServiceError `notFound` */
export async function loadPerson(
  { sql }: { sql: Sql | Transaction },
  { pageId, userId }: { pageId: PageId; userId: string },
): Promise<Person> {
  const id = parseId<UserId>(userId);
  const [person] =
    id === undefined ? [] : await selectPeople(sql, sql`r.page_id = ${pageId} and r.user_id = ${id}`);
  if (person === undefined) throw new ServiceError('notFound');
  return person;
}

type PersonChange = {
  pageId: PageId;
  userId: string;
  /** Gets the person as stored, in the transaction, and may refuse the change. */
  check?: ((person: Person) => void) | undefined;
};

/**
 * Gives a person of a page another role. Groups of the identity provider no longer touch it. Without a role nothing
 * changes.
 *
 * @throws ServiceError `notFound`, `conflict` when nobody would be owner any more; what `check` throws
 */
export async function changeRole(
  { sql, clock, by }: ChangeDeps,
  { role, check, ...ref }: PersonChange & { role?: PageRole | undefined },
): Promise<Person> {
  return inTransaction(sql, async (tx) => {
    const owners = await lockOwners(tx, ref.pageId);
    const before = await loadPerson({ sql: tx }, ref);
    check?.(before);
    if (role === undefined || (before.role === role && !before.byGroups)) return before;
    if (role !== 'owner') refuseLastOwner(owners, before);
    await tx`
      update page_roles set role = ${role}, by_groups = false
      where page_id = ${ref.pageId} and user_id = ${before.id}`;
    const after = { ...before, role, byGroups: false };
    await recordRole(tx, { by, now: clock.now() }, ref.pageId, { before, after });
    return after;
  });
}

/**
 * Takes the role on a page from a person, or from oneself. The account stays.
 *
 * @throws ServiceError `notFound`, `conflict` when nobody would be owner any more; what `check` throws
 */
export async function removePerson(
  { sql, clock, by }: ChangeDeps,
  { check, ...ref }: PersonChange,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const owners = await lockOwners(tx, ref.pageId);
    const before = await loadPerson({ sql: tx }, ref);
    check?.(before);
    refuseLastOwner(owners, before);
    await tx`delete from page_roles where page_id = ${ref.pageId} and user_id = ${before.id}`;
    await recordRole(tx, { by, now: clock.now() }, ref.pageId, { before, after: null });
  });
}

/**
 * The owners of a page who may sign in. Their rows stay locked for the transaction, so that two of them who leave at once
 * do so one after the other, and the second one stays.
 */
export async function lockOwners(tx: Transaction, pageId: PageId): Promise<UserId[]> {
  // In one order for everybody. A row that changed while it was waited for is looked at again.
  const roles = await tx<{ id: UserId; role: PageRole; isDisabled: boolean }[]>`
    select r.user_id as id, r.role, u.disabled_at is not null as "isDisabled"
    from page_roles r join users u on u.id = r.user_id
    where r.page_id = ${pageId} order by r.user_id for update of r`;
  return roles.filter(({ role, isDisabled }) => role === 'owner' && !isDisabled).map(({ id }) => id);
}

/** Whether nobody would be owner without this person. `owners` is from lockOwners(). */
export function isLastOwner(owners: readonly UserId[], { id, role }: Pick<Person, 'id' | 'role'>): boolean {
  return role === 'owner' && !owners.some((owner) => owner !== id);
}

function refuseLastOwner(owners: readonly UserId[], person: Person): void {
  if (!isLastOwner(owners, person)) return;
  throw new ServiceError('conflict', {
    message: 'A page keeps an owner; make somebody else an owner first.',
  });
}

/**
 * Gives a user a role on a page, as the command line does. A role that allows as much stays.
 *
 * @throws ServiceError `notFound` when there is no such user
 */
export async function giveRole(
  { sql, clock, by }: ChangeDeps,
  { pageId, userId, role }: { pageId: PageId; userId: string; role: PageRole },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const user = await lockUser(tx, userId);
    await addRole(tx, { by, now: clock.now() }, { pageId, user, role });
  });
}

/** Gives a user a role on a page by hand in a transaction, unless the user has one that allows as much. */
export async function addRole(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { pageId, user, role }: { pageId: PageId; user: Pick<User, 'id' | 'email'>; role: PageRole },
): Promise<void> {
  const [held] = await tx<Pick<Person, 'role' | 'byGroups'>[]>`
    select role, by_groups as "byGroups" from page_roles
    where page_id = ${pageId} and user_id = ${user.id} for update`;
  const isEnough = held !== undefined && pageRoles.indexOf(held.role) >= pageRoles.indexOf(role);
  // The same role by hand no longer goes with the groups.
  if (isEnough && !(held.byGroups && held.role === role)) return;
  await tx`
    insert into page_roles (page_id, user_id, role, created_at)
    values (${pageId}, ${user.id}, ${role}, ${new Date(audit.now)})
    on conflict (page_id, user_id) do update set role = excluded.role, by_groups = false`;
  const { id, email } = user;
  await recordRole(tx, audit, pageId, {
    before: held === undefined ? null : { id, email, ...held },
    after: { id, email, role, byGroups: false },
  });
}

/** Writes a change of a role into the audit log of its page. */
export async function recordRole(
  tx: Transaction,
  audit: { by: Actor; now: number },
  pageId: PageId,
  { before, after }: Record<'before' | 'after', Pick<Person, 'id' | 'email' | 'role' | 'byGroups'> | null>,
): Promise<void> {
  const person = after ?? before;
  if (person === null) return;
  const fields = (of: Pick<Person, 'role' | 'byGroups'>) => ({ role: of.role, byGroups: of.byGroups });
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  await recordChange(tx, audit, {
    pageId,
    action: `role.${verb}`,
    target: { type: 'user', id: person.id, name: person.email },
    before: before && fields(before),
    after: after && fields(after),
  });
}

function selectPeople(sql: Sql | Transaction, condition: Fragment): Promise<Person[]> {
  return sql<Person[]>`
    select u.id, u.email, u.name, r.role, r.by_groups as "byGroups", u.disabled_at as "disabledAt",
      u.last_signed_in_at as "lastSignedInAt", r.created_at as "createdAt"
    from page_roles r join users u on u.id = r.user_id where ${condition}`;
}
