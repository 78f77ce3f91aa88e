import type { UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { endSessions } from './sessions.js';
import {
  type ChangeDeps,
  lockUser,
  parsePersonName,
  parseUserLanguage,
  recordUser,
  type User,
} from './user.js';

/** Absent fields stay. */
export type UserChanges = {
  name?: string | undefined;
  /** A language tag; null for none of one's own. */
  language?: string | null | undefined;
  isAdmin?: boolean | undefined;
  /** A disabled user cannot sign in; the sessions end at once, and the roles stay. */
  isDisabled?: boolean | undefined;
};

type UserChange = {
  id: string;
  /** Gets the user as stored, in the transaction, and may refuse the change. */
  check?: ((user: User) => void) | undefined;
};

/**
 * Changes a user, as those do who run the installation, or a person does with name and language.
 *
 * @throws ServiceError `invalidBody` that names the field, `conflict` when nobody would be admin any more, `notFound`;
 *   what `check` throws
 */
export async function changeUser(
  { sql, clock, by }: ChangeDeps,
  { id, check, ...changes }: UserChange & UserChanges,
): Promise<User> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const admins = await lockAdmins(tx);
    const before = await lockUser(tx, id);
    check?.(before);
    const after = applyChanges(before, changes, now);
    if (!after.isAdmin || after.disabledAt !== null) refuseLastAdmin(admins, before);
    await tx`
      update users set name = ${after.name}, language = ${after.language}, is_admin = ${after.isAdmin},
        disabled_at = ${after.disabledAt}
      where id = ${before.id}`;
    const wasDisabled = before.disabledAt !== null;
    const isDisabled = after.disabledAt !== null;
    if (isDisabled && !wasDisabled) {
      await endSessions(tx, { by, now }, before.id);
      await tx`delete from reset_links where user_id = ${before.id}`;
    }
    const verb = wasDisabled === isDisabled ? 'update' : isDisabled ? 'disable' : 'enable';
    await recordUser(tx, { by, now }, verb, before, after);
    return after;
  });
}

/** @throws ServiceError `invalidBody` */
function applyChanges(user: User, { name, language, isAdmin, isDisabled }: UserChanges, now: number): User {
  return {
    ...user,
    name: name === undefined ? user.name : parsePersonName(name),
    language: language === undefined ? user.language : parseUserLanguage(language),
    isAdmin: isAdmin ?? user.isAdmin,
    disabledAt:
      isDisabled === undefined ? user.disabledAt : isDisabled ? (user.disabledAt ?? new Date(now)) : null,
  };
}

/**
 * Deletes a user with sessions, roles and links. Pages may lose their last owner; admins run them all.
 *
 * @throws ServiceError `conflict` for the last admin, `notFound`; what `check` throws
 */
export async function deleteUser({ sql, clock, by }: ChangeDeps, { id, check }: UserChange): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const admins = await lockAdmins(tx);
    const user = await lockUser(tx, id);
    check?.(user);
    refuseLastAdmin(admins, user);
    await endSessions(tx, { by, now }, user.id);
    await tx`delete from users where id = ${user.id}`;
    await recordUser(tx, { by, now }, 'delete', user, null);
  });
}

/** Locks the admins who may sign in. Their rows stay locked, so that two who go at once do so one after the other. */
async function lockAdmins(tx: Transaction): Promise<UserId[]> {
  const admins = await tx<{ id: UserId; isActive: boolean }[]>`
    select id, disabled_at is null as "isActive" from users where is_admin order by id for update`;
  return admins.filter(({ isActive }) => isActive).map(({ id }) => id);
}

function refuseLastAdmin(admins: readonly UserId[], { id, isAdmin, disabledAt }: User): void {
  if (!isAdmin || disabledAt !== null || admins.some((admin) => admin !== id)) return;
  throw new ServiceError('conflict', {
    message: 'The installation keeps an admin; make somebody else an admin first.',
  });
}
