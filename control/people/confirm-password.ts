import type { Clock } from '../../lib/clock.js';
import type { UserId } from '../../lib/ids.js';
import type { Passwords } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Credentials, findCredentials } from './credentials.js';
import { type Attempt, beginAttempt } from './sign-in-attempts.js';

/** `forgive` is for a change that succeeds, and `fail` for one that proves nothing. */
export type Proof = Credentials & Attempt;

/**
 * Compares the password of a person who has signed in, before a change that a stolen session must not make. Wrong
 * ones are limited as in signing in, and counted apart. A person without a password needs none.
 *
 * @throws ServiceError `notAllowed` for a wrong password, `tooManySignIns`, `overloaded`, `notFound`
 */
export async function confirmPassword(
  deps: { sql: Sql; clock: Clock; passwords: Passwords },
  { userId, password, address }: { userId: UserId; password?: string | undefined; address: string },
): Promise<Proof> {
  const credentials = await findCredentials(deps.sql, { id: userId });
  if (credentials === undefined) throw new ServiceError('notFound');
  const { email } = credentials.user;
  const compare = async (signal: AbortSignal): Promise<Attempt> => {
    const attempt = await beginAttempt(deps, { what: 'confirm', email, address }, signal);
    if (credentials.password === undefined) return attempt;
    const matches = await deps.passwords
      .matches(password ?? '', credentials.password, address, signal)
      .catch(async (error: unknown) => {
        await attempt.forgive();
        throw error;
      });
    if (matches) return attempt;
    await attempt.fail();
    throw new ServiceError('notAllowed', { code: 'password.wrong', message: 'The password is wrong.' });
  };
  const attempt = await deps.passwords.inTurnOf({ person: `confirm ${email}`, client: address }, compare);
  return { ...credentials, ...attempt };
}
