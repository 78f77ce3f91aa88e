import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import { networkOf } from '../../lib/window-counter.js';
import { addToWindow } from '../../sql/count-in-window.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

const attemptsMax = 10;

const attemptWindowMs = 15 * minuteMs;

/** After the 8.5 s in which a request is answered, what is still in flight belongs to a process that has ended. */
const inFlightMs = 30 * secondMs;

/** Before the first look at the attempts of other processes, which take about 0.2 s; each further wait doubles. */
const lookAgainMs = 50;

type Deps = { sql: Sql; clock: Clock };

/** A guess about the account with an email, from a client. */
type Guess = {
  /** The secret that is guessed or asked for; each is counted by itself. */
  what: 'sign-in' | 'confirm' | 'reset';
  /** As parseEmailAddress() returns it, or any text. */
  email: string;
  /** Address of the client. */
  address: string;
};

/** An attempt that is in flight: it holds a place among the failures that are allowed. The first call counts. */
export type Attempt = {
  /** Whether the person with the email has a session from the network of the client. */
  hasSession: boolean;
  /** Gives the place back, because the attempt did not fail; in a transaction, when that is committed. */
  forgive(tx?: Transaction): Promise<void>;
  /** Counts the attempt as a failure. */
  fail(): Promise<void>;
};

/** The place of an attempt in a window of a client or of an email. */
type Place = { subject: string; windowEndsAt: Date };

/**
 * Reserves a place for an attempt among the failures of its network and of its email, over all instances, before the
 * password is compared: many attempts at once cannot exceed the limit together. When only attempts in flight are in the
 * way, it waits for their outcome. Each network in which the person has a session has its own counter for the email; all
 * other networks share one. Strangers therefore have ten guesses however many addresses they use, and cannot keep the
 * person out of those networks. An attempt of a client over its limit does not count for the email.
 *
 * @param signal ends the wait, and gives the place back.
 * @throws ServiceError `tooManySignIns` with the seconds to wait; the reason of `signal`
 */
export async function beginAttempt(
  deps: Deps,
  { what, email, address }: Guess,
  signal?: AbortSignal,
): Promise<Attempt> {
  const network = networkOf(address);
  const ofClient = await reserve(deps, `${what} client ${network}`, signal);
  const client = settling(deps, [ofClient]);
  try {
    const hasSession = await hasSessionIn(deps, email, network);
    const own = hasSession ? ` ${network}` : '';
    // The email is hashed, because people type other things into this field, such as their password.
    const ofEmail = await reserve(deps, `${what} email ${hashSecret(email)}${own}`, signal);
    return { hasSession, ...settling(deps, [ofClient, ofEmail]) };
  } catch (error) {
    await (isTooMany(error) ? client.fail() : client.forgive());
    throw error;
  }
}

/** Refusals of emails without an account, over all of them, that the audit log gets in a window. */
const unknownRowsMax = 20;

/**
 * Counts a refused sign-in in a transaction, and returns whether the audit log has no row of it yet: it gets the first one
 * of an email in a quarter of an hour, with a wrong code apart, because then somebody has the password. Anybody makes up
 * emails, so those without an account have twenty rows together.
 */
export async function isNewRefusal(
  tx: Transaction,
  now: number,
  { email, isKnown, isCode }: { email: string | undefined; isKnown: boolean; isCode: boolean },
): Promise<boolean> {
  const of = email === undefined ? 'no email' : `email ${hashSecret(email)}`;
  if ((await countRefusal(tx, now, `refused ${isCode ? 'code' : 'password'} ${of}`)) > 1) return false;
  return isKnown || (await countRefusal(tx, now, 'refused unknown emails')) <= unknownRowsMax;
}

async function countRefusal(tx: Transaction, now: number, subject: string): Promise<number> {
  const [row] = await tx<{ requests: number }[]>`
    insert into sign_in_failures as held (subject, window_ends_at, requests)
    values (${subject}, ${new Date(now + attemptWindowMs)}, 1)
    on conflict (subject) do update set ${addToWindow(tx, now, attemptWindowMs)}
    returning requests`;
  return row?.requests ?? 0;
}

/** Counts a request that nothing proves to be right. @throws ServiceError `tooManySignIns` */
export async function countAttempt(deps: Deps, guess: Guess): Promise<void> {
  const attempt = await beginAttempt(deps, guess);
  await attempt.fail();
}

function isTooMany(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'tooManySignIns';
}

/** Settles places one by one, the client first, so that two attempts never wait for each other. */
function settling({ sql }: Deps, places: readonly Place[]): Omit<Attempt, 'hasSession'> {
  let isSettled = false;
  const settle = async (on: Sql | Transaction, given: 0 | 1): Promise<void> => {
    if (isSettled) return;
    isSettled = true;
    for (const { subject, windowEndsAt } of places) {
      await on`
        update sign_in_failures
        set requests = greatest(requests - ${given}, 0), in_flight = greatest(in_flight - 1, 0)
        where subject = ${subject} and window_ends_at = ${windowEndsAt}`;
    }
  };
  return { forgive: (tx = undefined) => settle(tx ?? sql, 1), fail: () => settle(sql, 0) };
}

/** Whether the person with the email has signed in from a network, in a session that has not ended. */
async function hasSessionIn({ sql, clock }: Deps, email: string, network: string): Promise<boolean> {
  const sessions = await sql<{ address: string }[]>`
    select distinct s.address from user_sessions s join users u on u.id = s.user_id
    where u.email = ${email} and s.expires_at > ${new Date(clock.now())}`;
  return sessions.some(({ address }) => networkOf(address) === network);
}

/** @throws ServiceError `tooManySignIns` once ten attempts failed; the reason of `signal` */
async function reserve(deps: Deps, subject: string, signal: AbortSignal | undefined): Promise<Place> {
  for (let waitMs = lookAgainMs; ; waitMs *= 2) {
    const place = await tryReserve(deps, subject);
    if (place !== undefined) return place;
    const now = deps.clock.now();
    const [held] = await deps.sql<{ failures: number; window_ends_at: Date }[]>`
      select requests - case when in_flight_until > ${new Date(now)} then in_flight else 0 end as failures,
        window_ends_at
      from sign_in_failures where subject = ${subject}`;
    if (held !== undefined && held.failures >= attemptsMax) {
      const msLeft = Math.max(0, held.window_ends_at.getTime() - now);
      throw new ServiceError('tooManySignIns', {
        retryAfterSeconds: Math.max(1, Math.ceil(msLeft / secondMs)),
      });
    }
    await delay(waitMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/**
 * Takes a place in the window of a subject, or begins the next window; `undefined` when the window is full. A window that
 * ends later than a whole one from now was begun by an instance whose clock is ahead, or by a request that overtook this
 * one: it counts if it ends less than a window later.
 */
async function tryReserve({ sql, clock }: Deps, subject: string): Promise<Place | undefined> {
  const now = clock.now();
  const lasts = sql`held.window_ends_at > ${new Date(now)}
    and held.window_ends_at < excluded.window_ends_at + ${attemptWindowMs} * interval '1 millisecond'`;
  const [row] = await sql<{ window_ends_at: Date }[]>`
    insert into sign_in_failures as held (subject, window_ends_at, requests, in_flight, in_flight_until)
    values (${subject}, ${new Date(now + attemptWindowMs)}, 1, 1, ${new Date(now + inFlightMs)})
    on conflict (subject) do update set (window_ends_at, requests, in_flight, in_flight_until) = (
      select case when ${lasts} then held.window_ends_at else excluded.window_ends_at end,
        case when ${lasts} then held.requests else 0 end + 1,
        case when ${lasts} and held.in_flight_until > ${new Date(now)} then held.in_flight else 0 end + 1,
        excluded.in_flight_until)
    where not (${lasts}) or held.requests < ${attemptsMax}
    returning window_ends_at`;
  return row && { subject, windowEndsAt: row.window_ends_at };
}
