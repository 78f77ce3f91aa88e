import { nextAskedAt } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type AttemptOutcome, type ClaimedMessage, messageSchedule } from './queue.js';
import { concernsOwners, lockForNotice, type QueueNotice, tellOwners } from './tell-owners.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  /** When absent, no owner gets an email. */
  queueNotice?: QueueNotice | undefined;
};

export type Recorded = {
  state: 'delivered' | 'pending' | 'parked';
  /** Emails to the owners of the page were queued. */
  told: boolean;
};

/**
 * Records an attempt. When the claim has lapsed and another attempt has begun, that one counts. The owners of the page
 * get an email when a message to their team is given up.
 */
export async function recordAttempt(
  { sql, clock, queueNotice }: Deps,
  claimed: ClaimedMessage,
  outcome: AttemptOutcome,
): Promise<Recorded> {
  const now = clock.now();
  const { error } = outcome;
  const nextAt = error === null ? undefined : nextAttemptOf(claimed, outcome, now);
  if (nextAt !== undefined) {
    await postpone(sql, { claimed, outcome, nextAt });
    return { state: 'pending', told: false };
  }
  if (error === null || queueNotice === undefined || !concernsOwners(claimed)) {
    await finish(sql, { claimed, outcome, now });
    return { state: error === null ? 'delivered' : 'parked', told: false };
  }
  const told = await inTransaction(sql, async (tx) => {
    const name = await lockForNotice(tx, claimed, now);
    const isRecorded = await finish(tx, { claimed, outcome, now });
    if (name === undefined || !isRecorded) return false;
    return tellOwners(tx, queueNotice, { claimed, outcome, name, now });
  });
  return { state: 'parked', told };
}

/** A message whose chat has moved is sent again at once, and not more often than any other. */
function nextAttemptOf(
  { attempts }: ClaimedMessage,
  { mayRepeat, askedAt, movedTo }: AttemptOutcome,
  now: number,
): number | undefined {
  if (movedTo === undefined && !mayRepeat) return undefined;
  const at = nextAskedAt(messageSchedule, attempts, { now, askedAt });
  return movedTo === undefined || at === undefined ? at : now;
}

/** Returns whether this attempt counts. */
async function finish(
  sql: Sql | Transaction,
  {
    claimed,
    outcome: { status, error },
    now,
  }: { claimed: ClaimedMessage; outcome: AttemptOutcome; now: number },
): Promise<boolean> {
  const { count } = await sql`
    update channel_messages set state = ${error === null ? 'delivered' : 'parked'}, status = ${status},
      reason = ${error}, claimed_until = null, finished_at = ${new Date(now)}
    where ${isOfAttempt(sql, claimed)}`;
  return count === 1;
}

/**
 * Messages behind one that is tried again later are due no earlier, so that a channel that is down costs no more than its
 * first message.
 */
async function postpone(
  sql: Sql,
  {
    claimed,
    outcome: { status, error },
    nextAt,
  }: { claimed: ClaimedMessage; outcome: AttemptOutcome; nextAt: number },
): Promise<void> {
  await sql`
    with failed as (
      update channel_messages set status = ${status}, reason = ${error}, claimed_until = null,
        next_attempt_at = ${new Date(nextAt)}
      where ${isOfAttempt(sql, claimed)} returning id)
    update channel_messages set next_attempt_at = greatest(next_attempt_at, ${new Date(nextAt)})
    where channel_id = ${claimed.channelId} and state = 'pending' and seq > ${claimed.seq}
      and exists (select 1 from failed)`;
}

/** Releases the claim of a message whose attempt was cut short. It is due at once, and the attempt does not count. */
export async function releaseMessage({ sql }: { sql: Sql }, claimed: ClaimedMessage): Promise<void> {
  await sql`
    update channel_messages set claimed_until = null, attempts = attempts - 1 where ${isOfAttempt(sql, claimed)}`;
}

const isOfAttempt = (sql: Sql | Transaction, { id, attempts }: ClaimedMessage) =>
  sql`id = ${id} and state = 'pending' and attempts = ${attempts}`;
