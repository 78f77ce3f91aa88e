import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import type { Log } from '../../lib/log.js';
import type { Passwords, StoredPassword } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { recordChange } from '../audit/index.js';
import { beginAttempt } from './attempts.js';
import { type Credentials, findCredentials, storePassword } from './credentials.js';
import { spendCode } from './second-factor.js';
import { type Client, type StartedSession, startSession } from './sessions.js';

export type SignInDeps = {
  sql: Sql;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  secretKey: string;
  passwords: Passwords;
};

export type SignInInput = Client & {
  email: string;
  password: string;
  /** Code of the authenticator app, or a recovery code. */
  code?: string | undefined;
};

/** Why a sign-in was refused, for the audit log alone. */
type Reason = 'unknown email' | 'no password' | 'wrong password' | 'disabled' | 'wrong code';

const emailCharsMax = 254;

/**
 * Signs a person in with a password. An unknown email, a disabled user, a user without a password and a wrong password
 * have the same answer after the same work. A right password without the code that the account needs is answered with
 * `codeRequired`, so only those who have the password learn that there is a second factor.
 *
 * @throws ServiceError `signInRefused`, `codeRequired`; `tooManySignIns` after 10 failures in a quarter of an hour of the
 *   client or for the email, as beginAttempt() counts them; `overloaded` when too many sign in at once
 */
export async function signIn(deps: SignInDeps, input: SignInInput): Promise<StartedSession> {
  const parsed = parseEmailAddress(input.email);
  const email = parsed ?? input.email.trim().toLowerCase().slice(0, emailCharsMax);
  const attempt = await beginAttempt(deps, { what: 'sign-in', email, address: input.address });
  let found: Credentials | undefined;
  let matches: boolean;
  try {
    found = parsed === undefined ? undefined : await findCredentials(deps.sql, { email: parsed });
    matches = await deps.passwords.matches(input.password, found?.password, input.address);
  } catch (error) {
    await attempt.forgive();
    throw error;
  }
  const refuse = (reason: Reason) => refuseSignIn(deps, { ...input, email: parsed, found, reason });
  if (found === undefined) return refuse('unknown email');
  if (found.password === undefined) return refuse('no password');
  if (found.user.disabledAt !== null) return refuse('disabled');
  if (!matches) return refuse('wrong password');
  if (found.user.hasTotp && input.code === undefined) {
    await attempt.forgive();
    throw new ServiceError('codeRequired');
  }
  const started = await enter(deps, input, found, await rehash(deps, input, found.password));
  if (started === undefined) return refuse('wrong code');
  await attempt.forgive();
  return started;
}

/** The hash of the password with the parameters of today; `undefined` when it is stored with them, or the turn is another's. */
async function rehash(
  { passwords }: SignInDeps,
  { password, address }: SignInInput,
  stored: StoredPassword,
): Promise<StoredPassword | undefined> {
  if (!passwords.isOld(stored)) return undefined;
  // The next sign-in does it when too many wait for a turn.
  return passwords.hash(password, address).catch(() => undefined);
}

/** Starts the session, unless the account changed since its password was compared. Returns `undefined` for a wrong code. */
async function enter(
  { sql, clock, secretKey, log }: SignInDeps,
  { code, ...client }: SignInInput,
  { user: compared, password }: Credentials,
  rehashed: StoredPassword | undefined,
): Promise<StartedSession | undefined> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const current = await findCredentials(tx, { id: compared.id }, 'lock');
    const isSame = current?.password !== undefined && password?.hash.equals(current.password.hash);
    if (current === undefined || !isSame || current.user.disabledAt !== null) return undefined;
    const { user } = current;
    // The code of a person who has switched the second factor on since is asked for at the next attempt.
    if (
      user.hasTotp &&
      !(await spendCode(tx, { secretKey, log }, { credentials: current, code: code ?? '', now }))
    ) {
      return undefined;
    }
    if (rehashed !== undefined) await storePassword(tx, user.id, rehashed);
    return startSession(tx, { user, now, client, means: user.hasTotp ? 'password and code' : 'password' });
  });
}

type Refused = Client & {
  email: string | undefined;
  found: Credentials | undefined;
  reason: Reason;
};

/** Writes the refusal into the audit log: never the password, and of what was sent as an email only an email. */
async function refuseSignIn(
  { sql, clock }: Pick<SignInDeps, 'sql' | 'clock'>,
  { email, found, reason, address, userAgent }: Refused,
): Promise<never> {
  const id = found?.user.id ?? 'unknown';
  const name = email ?? 'unknown';
  await inTransaction(sql, (tx) =>
    recordChange(
      tx,
      { by: { type: 'user', id, name, address }, now: clock.now() },
      {
        pageId: null,
        action: 'session.refuse',
        target: { type: 'session', id, name },
        before: null,
        after: { reason, userAgent: userAgent.slice(0, 300) },
      },
    ),
  );
  throw new ServiceError('signInRefused');
}
