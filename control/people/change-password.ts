import type { UserId, UserSessionId } from '../../lib/ids.js';
import type { Passwords } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { confirmPassword } from './confirm-password.js';
import { findCredentials, storePassword } from './credentials.js';
import { parsePassword } from './password-rules.js';
import { endSessions } from './sessions.js';
import { type ChangeDeps, recordUser } from './user.js';

export type ChangePasswordInput = {
  userId: UserId;
  /** The session that makes the change; the others end. */
  sessionId: UserSessionId;
  currentPassword: string;
  password: string;
  /** Address of the client. */
  address: string;
};

/**
 * Changes the password of a person who has signed in, and ends the person's other sessions.
 *
 * @throws ServiceError `invalidBody` for a password that is not good enough, `notAllowed` when the current one is wrong,
 *   `conflict` when there is none or it was changed meanwhile, `tooManySignIns`, `overloaded`, `notFound`
 */
export async function changePassword(
  deps: ChangeDeps & { passwords: Passwords },
  { userId, sessionId, currentPassword, password, address }: ChangePasswordInput,
): Promise<void> {
  const { sql, clock, by, passwords } = deps;
  const proof = await confirmPassword(deps, { userId, password: currentPassword, address });
  await proof.forgive();
  const compared = proof.password;
  if (compared === undefined) {
    throw new ServiceError('conflict', {
      message: 'The account has no password.',
      hint: 'A link to reset the password sets one.',
    });
  }
  const stored = await passwords.hash(parsePassword('/password', password, proof.user), address);
  await inTransaction(sql, async (tx) => {
    const current = await findCredentials(tx, { id: userId }, 'lock');
    if (current?.password?.hash.equals(compared.hash) !== true) {
      throw new ServiceError('conflict', { message: 'The password was changed meanwhile.' });
    }
    await storePassword(tx, userId, stored);
    const now = clock.now();
    await endSessions(tx, { by, now }, userId, tx`s.id <> ${sessionId}`);
    await recordUser(tx, { by, now }, 'update', current.user, current.user, { passwordChanged: true });
  });
}
