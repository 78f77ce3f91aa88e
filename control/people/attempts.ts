import type { Clock } from '../../lib/clock.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import { networkOf } from '../../lib/window-counter.js';
import { addToWindow } from '../../sql/count-in-window.js';
import type { Sql } from '../../sql/open-postgres.js';

const attemptsMax = 10;
const attemptWindowMs = 15 * minuteMs;

type Deps = { sql: Sql; clock: Clock };

/** What guesses: something about the account with an email, from a client. */
export type Guess = {
  /** What is guessed or asked for; each is counted by itself. */
  what: 'sign-in' | 'confirm' | 'reset';
  /** As parseEmailAddress() returns it, or any text. */
  email: string;
  /** Address of the client. */
  address: string;
};

/** An attempt that is counted as a failure. */
export type Attempt = {
  /** Counts it no longer, because it did not fail. */
  forgive(): Promise<void>;
};

/**
 * Counts an attempt for the network of its client and for its email, over all instances. The count comes before the
 * password is compared, so that many attempts at once cannot exceed the limit together. Each network in which the person
 * has a session has its own counter for the email; all other networks share one. Strangers therefore have ten guesses
 * however many addresses they use, and cannot keep the person out of those networks. An attempt of a client over its
 * limit does not count for the email.
 *
 * @throws ServiceError `tooManySignIns` with the seconds to wait
 */
export async function beginAttempt(deps: Deps, { what, email, address }: Guess): Promise<Attempt> {
  const network = networkOf(address);
  const ofClient = `${what} client ${network}`;
  await count(deps, ofClient);
  const own = (await hasSessionIn(deps, email, network)) ? ` ${network}` : '';
  // The email is hashed, because people type other things into this field, such as their password.
  const ofEmail = `${what} email ${hashSecret(email)}${own}`;
  await count(deps, ofEmail);
  return {
    async forgive() {
      await deps.sql`
        update sign_in_failures set requests = greatest(requests - 1, 0)
        where subject = any(${[ofClient, ofEmail]}::text[])`;
    },
  };
}

/** Whether the person with the email has signed in from a network, in a session that has not ended. */
async function hasSessionIn({ sql, clock }: Deps, email: string, network: string): Promise<boolean> {
  const sessions = await sql<{ address: string }[]>`
    select distinct s.address from user_sessions s join users u on u.id = s.user_id
    where u.email = ${email} and s.expires_at > ${new Date(clock.now())}`;
  return sessions.some(({ address }) => networkOf(address) === network);
}

async function count({ sql, clock }: Deps, subject: string): Promise<void> {
  const now = clock.now();
  const [row] = await sql<{ requests: number; window_ends_at: Date }[]>`
    insert into sign_in_failures as held (subject, window_ends_at, requests)
    values (${subject}, ${new Date(now + attemptWindowMs)}, 1)
    on conflict (subject) do update set ${addToWindow(sql, now, attemptWindowMs)}
    returning requests, window_ends_at`;
  if (row === undefined) throw new Error('PostgreSQL returned no row.');
  if (row.requests <= attemptsMax) return;
  const msLeft = Math.max(0, row.window_ends_at.getTime() - now);
  throw new ServiceError('tooManySignIns', { retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1000)) });
}
