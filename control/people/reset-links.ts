import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { newId, type ResetLinkId, type UserId } from '../../lib/ids.js';
import type { Passwords } from '../../lib/secrets/passwords.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { storePassword } from './credentials.js';
import { linkEnded } from './invitations.js';
import { parsePassword } from './password-rules.js';
import { proveEmail } from './prove-email.js';
import { endSessions } from './sessions.js';
import { countAttempt } from './sign-in-attempts.js';
import {
  type ChangeDeps,
  findUserByEmail,
  lockUser,
  recordUser,
  type User,
  userActor,
  userColumns,
} from './user.js';

const resetLinkMs = dayMs;

/** Links that a person has asked for and that still work. */
const openLinksMax = 5;

/** `token` is for resetPath(); nothing else returns or stores it. */
export type CreatedResetLink = { token: string; user: User; expiresAt: Date };

/**
 * Makes a link with which a person sets a new password, once, within a day. Older links of the person end. The link is
 * shown to whoever asks for it, so it does not prove the email.
 *
 * @throws ServiceError `notFound`, `conflict` for a disabled user
 */
export async function createResetLink(
  { sql, clock, by }: ChangeDeps,
  userId: string,
): Promise<CreatedResetLink> {
  return inTransaction(sql, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user.disabledAt !== null) {
      throw new ServiceError('conflict', { message: 'The user is disabled; enable the user first.' });
    }
    await tx`delete from reset_links where user_id = ${user.id}`;
    return addResetLink(tx, { by, now: clock.now() }, { user, isMailed: false });
  });
}

/**
 * Makes a link for the person with this email, which the caller sends there. Returns `undefined` when there is no such
 * person, or a disabled one, or when five links of the person still work; answer the same in each case, and before the
 * email leaves. Older links keep working until one of them is used, because anybody can ask. `mail` runs in the transaction,
 * to queue that email.
 *
 * @throws ServiceError `tooManySignIns` after ten requests in a quarter of an hour, of the client or for the email, whether
 *   or not somebody has it
 */
export async function requestPasswordReset(
  { sql, clock }: { sql: Sql; clock: Clock },
  { email: text, address }: { email: string; address: string },
  mail?: (tx: Transaction, created: CreatedResetLink) => Promise<void>,
): Promise<CreatedResetLink | undefined> {
  const email = parseEmailAddress(text);
  await countAttempt({ sql, clock }, { what: 'reset', email: email ?? '', address });
  const user = email === undefined ? undefined : await findUserByEmail(sql, email);
  if (user === undefined) return undefined;
  return inTransaction(sql, async (tx) => {
    const current = await lockUser(tx, user.id);
    const now = clock.now();
    if (current.disabledAt !== null || (await countOpenLinks(tx, current.id, now)) >= openLinksMax)
      return undefined;
    const created = await addResetLink(
      tx,
      { by: userActor(current, address), now },
      { user: current, isMailed: true },
    );
    await mail?.(tx, created);
    return created;
  });
}

async function countOpenLinks(tx: Transaction, userId: UserId, now: number): Promise<number> {
  const [row] = await tx<{ open: number }[]>`
    select count(*)::int as open from reset_links
    where user_id = ${userId} and used_at is null and expires_at > ${new Date(now)}`;
  return row?.open ?? 0;
}

async function addResetLink(
  tx: Transaction,
  { by, now }: { by: Actor; now: number },
  { user, isMailed }: { user: User; isMailed: boolean },
): Promise<CreatedResetLink> {
  const token = newSecret();
  const expiresAt = new Date(now + resetLinkMs);
  await tx`
    insert into reset_links (id, user_id, token_hash, created_at, expires_at, is_mailed)
    values (${newId<ResetLinkId>(now)}, ${user.id}, decode(${hashSecret(token)}, 'hex'), ${new Date(now)},
      ${expiresAt}, ${isMailed})`;
  await recordUser(tx, { by, now }, 'update', user, user, { resetLinkExpiresAt: expiresAt });
  return { token, user, expiresAt };
}

/** Finds the person whose link has this token; `undefined` when it was used or has expired. */
export async function findResetLink(
  { sql, clock }: { sql: Sql; clock: Clock },
  token: string,
): Promise<Pick<User, 'id' | 'email' | 'name'> | undefined> {
  const [user] = await sql<User[]>`
    select ${userColumns(sql)} from users u
    where u.disabled_at is null and u.id in (
      select user_id from reset_links where ${isUsable(sql, token, clock.now())})`;
  return user;
}

/**
 * Sets a new password with the token of a link, and ends the other links and all sessions of the person, who then signs
 * in with it, and with a code where the account needs one. A mailed link proves the email, as proveEmail() says.
 *
 * @throws ServiceError `notFound` when the link no longer works, `invalidBody` that names the field, `overloaded`
 */
export async function resetPassword(
  deps: { sql: Sql; clock: Clock; passwords: Passwords },
  { token, password, address }: { token: string; password: string; address: string },
): Promise<void> {
  const { sql, clock, passwords } = deps;
  const found = await findResetLink(deps, token);
  if (found === undefined) throw linkEnded();
  const stored = await passwords.hash(parsePassword('/password', password, found), address);
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const user = await lockUser(tx, found.id);
    const [used] = await tx<{ isMailed: boolean }[]>`
      update reset_links set used_at = ${new Date(now)}
      where user_id = ${user.id} and ${isUsable(tx, token, now)}
      returning is_mailed as "isMailed"`;
    if (used === undefined || user.disabledAt !== null) throw linkEnded();
    const by = userActor(user, address);
    const after = used.isMailed ? await proveEmail(tx, { by, now }, user) : user;
    await tx`delete from reset_links where user_id = ${user.id} and used_at is null`;
    await storePassword(tx, user.id, stored);
    await endSessions(tx, { by, now }, user.id);
    await recordUser(tx, { by, now }, 'update', user, after, { passwordChanged: true });
  });
}

function isUsable(sql: Sql | Transaction, token: string, now: number): Fragment {
  return sql`
    token_hash = decode(${hashSecret(token)}, 'hex') and used_at is null and expires_at > ${new Date(now)}`;
}

/** Returns the path of the link that sets a new password, with the token in the fragment as in invitationPath(). */
export function resetPath(token: string): string {
  return `/manage/reset#${token}`;
}
