import type { Clock } from '../../lib/clock.js';
import { newId, parseId, type UserId, type UserSessionId } from '../../lib/ids.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { recordChange } from '../audit/index.js';
import { type ChangeDeps, type User, userActor } from './user.js';

/** How long a session lasts after its last use, in milliseconds. */
export const sessionMs = 30 * dayMs;
/** Beyond this many the session that was silent longest ends. */
const sessionsMax = 100;
const userAgentChars = 300;

/** A browser in which a person has signed in. */
export type Session = {
  id: UserSessionId;
  createdAt: Date;
  /** At most an hour behind. */
  lastSeenAt: Date;
  expiresAt: Date;
  /** Address of the client that signed in. */
  address: string;
  userAgent: string;
};

/** Where a person signs in from. */
export type Client = { address: string; userAgent: string };

/** `token` is the value of the cookie. Nothing else returns or stores it. */
export type StartedSession = { token: string; sessionId: UserSessionId; userId: UserId };

/**
 * Starts a session of a user in a transaction, with a token that nobody has seen before. `by` is how the person came in,
 * for the audit log.
 */
export async function startSession(
  tx: Transaction,
  { user, now, client, means }: { user: User; now: number; client: Client; means: string },
): Promise<StartedSession> {
  const token = newSecret();
  const id = newId<UserSessionId>(now);
  await tx`
    insert into user_sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at, address, user_agent)
    values (${id}, ${user.id}, decode(${hashSecret(token)}, 'hex'), ${new Date(now)}, ${new Date(now)},
      ${new Date(now + sessionMs)}, ${client.address}, ${client.userAgent.slice(0, userAgentChars)})`;
  await tx`
    delete from user_sessions where id in (
      select id from user_sessions where user_id = ${user.id}
      order by last_seen_at desc, id desc offset ${sessionsMax})`;
  await tx`update users set last_signed_in_at = ${new Date(now)} where id = ${user.id}`;
  await recordChange(
    tx,
    { by: userActor(user, client.address), now },
    {
      pageId: null,
      action: 'session.create',
      target: { type: 'session', id, name: user.email },
      before: null,
      after: { means, userAgent: client.userAgent.slice(0, userAgentChars) },
    },
  );
  return { token, sessionId: id, userId: user.id };
}

/** Lists at most `limit` sessions of a user that last, newest first, behind the one with the id `after`. */
export async function listSessions(
  { sql, clock }: { sql: Sql; clock: Clock },
  { userId, limit, after }: { userId: UserId; limit: number; after?: readonly string[] | undefined },
): Promise<Session[]> {
  return sql<Session[]>`
    select ${sessionColumns(sql)} from user_sessions
    where user_id = ${userId} and expires_at > ${new Date(clock.now())}
      and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null})
    order by id desc limit ${limit}`;
}

/**
 * Ends one session of a user; every instance refuses it at once. Signing out is the same.
 *
 * @throws ServiceError `notFound`
 */
export async function endSession(
  { sql, clock, by }: ChangeDeps,
  { id, userId }: { id: string; userId: UserId },
): Promise<void> {
  const sessionId = parseId<UserSessionId>(id);
  if (sessionId === undefined) throw new ServiceError('notFound');
  await inTransaction(sql, async (tx) => {
    const ended = await endSessions(tx, { by, now: clock.now() }, userId, tx`s.id = ${sessionId}`);
    if (ended === 0) throw new ServiceError('notFound');
  });
}

/** Whether a session of a user is still there, in a transaction that holds the row of the user. */
export async function hasSession(
  tx: Transaction,
  { userId, sessionId }: { userId: UserId; sessionId: UserSessionId },
): Promise<boolean> {
  const [session] = await tx`select 1 from user_sessions where id = ${sessionId} and user_id = ${userId}`;
  return session !== undefined;
}

/** Ends sessions of a user in a transaction, all of them without a condition on `s`. Returns how many. */
export async function endSessions(
  tx: Transaction,
  audit: { by: ChangeDeps['by']; now: number },
  userId: UserId,
  condition: Fragment = tx`true`,
): Promise<number> {
  const ended = await tx<{ id: UserSessionId; email: string; userAgent: string }[]>`
    delete from user_sessions s using users u
    where s.user_id = ${userId} and u.id = s.user_id and ${condition}
    returning s.id, u.email, s.user_agent as "userAgent"`;
  for (const { id, email, userAgent } of ended) {
    await recordChange(tx, audit, {
      pageId: null,
      action: 'session.revoke',
      target: { type: 'session', id, name: email },
      before: { userAgent },
      after: null,
    });
  }
  return ended.length;
}

function sessionColumns(sql: Sql): Fragment {
  return sql`
    id, created_at as "createdAt", last_seen_at as "lastSeenAt", expires_at as "expiresAt", address,
    user_agent as "userAgent"`;
}
