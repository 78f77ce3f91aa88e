import type { Clock } from '../../lib/clock.js';
import type { UserId } from '../../lib/ids.js';
import type { Passwords } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import {
  findInvitation,
  type Invitation,
  linkEnded,
  recordInvitation,
  useInvitation,
} from './invitations.js';
import { parsePassword } from './password-rules.js';
import { addRole } from './roles.js';
import { type Client, type StartedSession, startSession } from './sessions.js';
import {
  addUser,
  type ChangeDeps,
  lockUser,
  parsePersonName,
  recordUser,
  type User,
  userActor,
} from './user.js';

/**
 * Accepts an invitation as a new person, who chooses a name and a password, and is signed in.
 *
 * @throws ServiceError `notFound` when the link no longer works, `invalidBody` that names the field, `conflict` when the
 *   person has an account and must sign in, `overloaded`
 */
export async function acceptInvitation(
  deps: { sql: Sql; clock: Clock; passwords: Passwords },
  {
    token,
    name,
    password,
    language,
    ...client
  }: Client & { token: string; name: string; password: string; language?: string | undefined },
): Promise<StartedSession> {
  const { sql, clock, passwords } = deps;
  const offered = await findInvitation(deps, token);
  if (offered === undefined) throw linkEnded();
  if (offered.hasAccount) throw hasAccount();
  const person = { email: offered.email, name: parsePersonName(name) };
  const stored = await passwords.hash(parsePassword('/password', password, person), client.address);
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const invitation = await useInvitation(tx, token, now);
    const asNew = (user: User) => userActor(user, client.address);
    const user = await addUser(tx, { by: asNew, now }, { ...person, password: stored, language });
    const invited = await take(tx, { by: asNew(user), now }, invitation, user);
    return startSession(tx, { user: invited, now, client, means: 'invitation' });
  });
}

function hasAccount(): ServiceError {
  return new ServiceError('conflict', { message: 'There is an account with this email; sign in to accept.' });
}

/**
 * Accepts an invitation as the person who has signed in, `by`. A role that allows more than the invited one stays.
 *
 * @throws ServiceError `notFound` when the link no longer works, `notAllowed` when it is for another email
 */
export async function acceptInvitationAs(
  { sql, clock, by }: ChangeDeps,
  { token, userId }: { token: string; userId: UserId },
): Promise<Invitation> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const user = await lockUser(tx, userId);
    const invitation = await useInvitation(tx, token, now);
    if (invitation.email !== user.email) {
      throw new ServiceError('notAllowed', {
        message: `This invitation is for ${invitation.email}; sign in with that account.`,
      });
    }
    await take(tx, { by, now }, invitation, user);
    return invitation;
  });
}

/** Gives a user what an invitation that was used up says. Returns the user as it then is. */
export async function take(
  tx: Transaction,
  audit: { by: Actor; now: number },
  invitation: Invitation,
  user: User,
): Promise<User> {
  await recordInvitation(tx, audit, 'accept', invitation);
  const { pageId, role } = invitation;
  if (pageId !== null && role !== null) {
    await addRole(tx, audit, { pageId, user, role });
    return user;
  }
  const admin = { ...user, isAdmin: true };
  await tx`update users set is_admin = true where id = ${user.id}`;
  await recordUser(tx, audit, 'update', user, admin);
  return admin;
}
