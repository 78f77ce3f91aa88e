import type { Passwords } from '../../lib/secrets/passwords.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { parsePassword } from './password-rules.js';
import { addUser, type ChangeDeps, parseUserEmail, type User } from './user.js';

export type CreateUserInput = {
  email: string;
  name: string;
  /** Without one the person signs in with the identity provider, or sets one with a reset link. */
  password?: string | undefined;
  isAdmin?: boolean | undefined;
  language?: string | undefined;
};

/**
 * Creates a user, as the command line does.
 *
 * @throws ServiceError `invalidBody` that names the field, `conflict` when somebody has the email
 */
export async function createUser(
  { sql, clock, by, passwords }: ChangeDeps & { passwords: Passwords },
  { password, ...input }: CreateUserInput,
): Promise<User> {
  const email = parseUserEmail(input.email);
  const stored =
    password === undefined
      ? undefined
      : await passwords.hash(parsePassword('/password', password, { email, name: input.name }), by.id);
  return inTransaction(sql, (tx) =>
    addUser(tx, { by, now: clock.now() }, { ...input, email, password: stored }),
  );
}
