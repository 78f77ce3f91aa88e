import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import type { Log } from '../../lib/log.js';
import type { Passwords, StoredPassword } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { recordChange } from '../audit/index.js';
import { type Credentials, findCredentials, storePassword } from './credentials.js';
import { spendCode } from './second-factor.js';
import { type Client, endSession, type StartedSession, startSession } from './sessions.js';
import { type Attempt, beginAttempt, isNewRefusal } from './sign-in-attempts.js';
import { userActor } from './user.js';

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
  /** Aborted when nobody waits for the outcome any more: no session is left then. */
  signal?: AbortSignal | undefined;
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
 *   client or for the email, as beginAttempt() counts them; `overloaded` when too many sign in at once; the reason of
 *   `signal`. No session is left after an error
 */
export async function signIn(deps: SignInDeps, input: SignInInput): Promise<StartedSession> {
  const parsed = parseEmailAddress(input.email);
  const email = parsed ?? input.email.trim().toLowerCase().slice(0, emailCharsMax);
  const { address } = input;
  return deps.passwords.inTurnOf(
    { person: `sign-in ${email}`, client: address },
    async (signal) => {
      const attempt = await beginAttempt(deps, { what: 'sign-in', email, address }, signal);
      if (attempt.hasSession) deps.passwords.welcome(address);
      try {
        const started = await check(deps, { ...input, email: parsed }, attempt, signal);
        deps.passwords.welcome(address);
        return started;
      } catch (error) {
        // The first call counts: after a refusal this one does nothing.
        await attempt.forgive();
        throw error;
      }
    },
    input.signal,
  );
}

type Checked = Omit<SignInInput, 'email'> & { email: string | undefined };

/** `signal` ends the wait for a turn to hash. */
async function check(
  deps: SignInDeps,
  input: Checked,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<StartedSession> {
  const { email } = input;
  const found = email === undefined ? undefined : await findCredentials(deps.sql, { email });
  const matches = await deps.passwords.matches(input.password, found?.password, input.address, signal);
  const refuse = async (reason: Reason): Promise<never> => {
    await attempt.fail();
    return refuseSignIn(deps, { ...input, found, reason });
  };
  if (found === undefined) return refuse('unknown email');
  if (found.password === undefined) return refuse('no password');
  if (found.user.disabledAt !== null) return refuse('disabled');
  if (!matches) return refuse('wrong password');
  if (found.user.hasTotp && input.code === undefined) throw new ServiceError('codeRequired');
  const rehashed = await rehash(deps, input, found.password);
  const started = await enter(deps, input, { found, rehashed, attempt });
  return started ?? refuse('wrong code');
}

/** Returns the hash of the password with today's parameters; `undefined` when it is stored with them, or the turn is another's. */
async function rehash(
  { passwords }: SignInDeps,
  { password, address }: Checked,
  stored: StoredPassword,
): Promise<StoredPassword | undefined> {
  if (!passwords.isOld(stored)) return undefined;
  // The next sign-in does it when too many wait for a turn.
  return passwords.hash(password, address).catch(() => undefined);
}

type Entering = { found: Credentials; rehashed: StoredPassword | undefined; attempt: Attempt };

/**
 * Starts the session, unless the account changed since its password was compared, and gives the place of the attempt back
 * with it. Returns `undefined` for a wrong code. The answer to a commit may be lost, and the time of the request may be
 * over: the session ends then, because nobody gets its token.
 */
async function enter(
  deps: SignInDeps,
  { address, userAgent, code, signal }: Checked,
  { found: { user: compared, password }, rehashed, attempt }: Entering,
): Promise<StartedSession | undefined> {
  const { sql, clock } = deps;
  let started: StartedSession | undefined;
  try {
    await inTransaction(sql, async (tx) => {
      const now = clock.now();
      const current = await findCredentials(tx, { id: compared.id }, 'lock');
      const isSame = current?.password !== undefined && password?.hash.equals(current.password.hash);
      if (current === undefined || !isSame || current.user.disabledAt !== null) return;
      const { user } = current;
      // The code of a person who has switched the second factor on since is asked for at the next attempt.
      if (user.hasTotp && !(await spendCode(tx, deps, { credentials: current, code: code ?? '', now })))
        return;
      if (rehashed !== undefined) await storePassword(tx, user.id, rehashed);
      const means = user.hasTotp ? 'password and code' : 'password';
      started = await startSession(tx, { user, now, client: { address, userAgent }, means });
      signal?.throwIfAborted();
      await attempt.forgive(tx);
    });
    signal?.throwIfAborted();
    return started;
  } catch (error) {
    if (started !== undefined) await dropSession(deps, started, { email: compared.email, address });
    throw error;
  }
}

/** Ends a session whose token nobody gets. It may not have been committed. */
export async function dropSession(
  { sql, clock }: Pick<SignInDeps, 'sql' | 'clock'>,
  { sessionId: id, userId }: StartedSession,
  { email, address }: { email: string; address: string },
): Promise<void> {
  const by = userActor({ id: userId, email }, address);
  await endSession({ sql, clock, by }, { id, userId }).catch(() => undefined);
}

type Refused = Client & {
  email: string | undefined;
  found: Credentials | undefined;
  reason: Reason;
};

/**
 * Writes the refusal into the audit log, unless it has one of the email: never the password, and of what was sent as an
 * email only an email.
 */
async function refuseSignIn(
  { sql, clock }: Pick<SignInDeps, 'sql' | 'clock'>,
  { email, found, reason, address, userAgent }: Refused,
): Promise<never> {
  const id = found?.user.id ?? 'unknown';
  const name = email ?? 'unknown';
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const of = { email, isKnown: found !== undefined, isCode: reason === 'wrong code' };
    if (!(await isNewRefusal(tx, now, of))) return;
    await recordChange(
      tx,
      { by: { type: 'user', id, name, address }, now },
      {
        pageId: null,
        action: 'session.refuse',
        target: { type: 'session', id, name },
        before: null,
        after: { reason, userAgent: userAgent.slice(0, 300) },
      },
    );
  });
  throw new ServiceError('signInRefused');
}
