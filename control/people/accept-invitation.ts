import type { Clock } from '../../lib/clock.js';
import type { UserId } from '../../lib/ids.js';
import type { Passwords, StoredPassword } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { storePassword } from './credentials.js';
import {
  findInvitation,
  type Invitation,
  linkEnded,
  recordInvitation,
  type UsedInvitation,
  useInvitation,
} from './invitations.js';
import { addRole } from './page-roles.js';
import { parsePassword } from './password-rules.js';
import { proveEmail } from './prove-email.js';
import { type Client, type StartedSession, startSession } from './sessions.js';
import {
  addUser,
  type ChangeDeps,
  findUserByEmail,
  lockUser,
  parsePersonName,
  parseUserLanguage,
  recordUser,
  type User,
  userActor,
} from './user.js';

/**
 * Accepts an invitation as a new person, who chooses a name and a password, and is signed in. With a mailed link, an
 * account whose email was never proven becomes the person's: proveEmail() says what ends.
 *
 * @throws ServiceError `notFound` when the link no longer works, `invalidBody` that names the field, `conflict` when the
 *   person has an account and must sign in, after the work that a new account takes, `overloaded`
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
  const person = { email: offered.email, name: parsePersonName(name) };
  const stored = await passwords.hash(parsePassword('/password', password, person), client.address);
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const known = await findUserByEmail(tx, offered.email);
    const before = known && (await lockUser(tx, known.id));
    const invitation = await useInvitation(tx, token, now);
    const by = (user: User) => userActor(user, client.address);
    const chosen = { name: person.name, password: stored, language };
    const user =
      before === undefined
        ? await addUser(
            tx,
            { by, now },
            { ...chosen, email: offered.email, isEmailProven: invitation.isMailed },
          )
        : await takeOver(tx, { by: by(before), now }, { before, invitation, chosen });
    const invited = await take(tx, { by: by(user), now }, invitation, user);
    return startSession(tx, { user: invited, now, client, means: 'invitation' });
  });
}

type Chosen = { name: string; password: StoredPassword; language: string | undefined };

/** Gives the holder of a mailed link the account that somebody made for the email. @throws ServiceError `conflict` */
async function takeOver(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { before, invitation, chosen }: { before: User; invitation: UsedInvitation; chosen: Chosen },
): Promise<User> {
  if (!invitation.isMailed || before.emailProvenAt !== null || before.disabledAt !== null) {
    throw new ServiceError('conflict', {
      message: 'There is an account with this email; sign in to accept.',
    });
  }
  const { name, password, language } = chosen;
  const proven = await proveEmail(tx, audit, before);
  const after = { ...proven, name, language: parseUserLanguage(language ?? null), hasPassword: true };
  await storePassword(tx, before.id, password);
  await tx`update users set name = ${after.name}, language = ${after.language} where id = ${before.id}`;
  await recordUser(tx, audit, 'update', before, after, { passwordChanged: true });
  return after;
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

/**
 * Gives a user what an invitation that was used up says; one that was accepted before gives nothing again. Returns the
 * user as it then is.
 */
async function take(
  tx: Transaction,
  audit: { by: Actor; now: number },
  invitation: UsedInvitation,
  user: User,
): Promise<User> {
  if (invitation.isAccepted) return user;
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
