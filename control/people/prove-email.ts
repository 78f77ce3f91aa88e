import type { Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { eraseTotp } from './second-factor.js';
import { endSessions } from './sessions.js';
import type { User } from './user.js';

/**
 * Notes in a transaction that the holder of the email acts: a link that was mailed to it was used, or an identity provider
 * vouches for it. The first proof ends all that lets somebody into the account, because whoever invited the person was
 * shown a link as well, and may have made the account with it. Roles stay. Returns the user as it then is; the caller
 * stores a new password and records the change. A proven account stays as it is.
 */
export async function proveEmail(
  tx: Transaction,
  audit: { by: Actor; now: number },
  user: User,
): Promise<User> {
  if (user.emailProvenAt !== null) return user;
  const emailProvenAt = new Date(audit.now);
  await endWaysIn(tx, audit, user);
  await tx`update users set email_proven_at = ${emailProvenAt} where id = ${user.id}`;
  return { ...user, emailProvenAt, issuer: null, hasPassword: false, hasTotp: false };
}

/**
 * Ends the password, the authenticator app with its recovery codes, the identity at a provider, the reset links and the
 * sessions of a user in a transaction. A sign-in that waits for its code has the old password, and is refused.
 */
export async function endWaysIn(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { id }: User,
): Promise<void> {
  await tx`
    update users set password_hash = null, password_salt = null, password_parameters = null,
      oidc_issuer = null, oidc_subject = null
    where id = ${id}`;
  await eraseTotp(tx, id);
  await tx`delete from reset_links where user_id = ${id}`;
  await endSessions(tx, audit, id);
}
