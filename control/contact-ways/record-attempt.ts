import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { jobActor } from '../audit/index.js';
import type { MessageOutcome } from '../channels/index.js';
import { type Attempted, type Recorded, settle } from '../delivery/index.js';
import { recordWay } from './audit-way.js';
import { loadWay, lockWay, openSettings, sealSettings } from './find-ways.js';
import { type ClaimedPersonMessage, messageTable } from './queue.js';

type Deps = { sql: Sql; clock: Clock; secretKey: string };

const by = jobActor('contact-ways');

/**
 * Records what follows from an attempt. Messages behind one that is tried again later are due no earlier, so that a way
 * that is down costs no more than its first message.
 */
export async function recordAttempt(
  deps: Deps,
  claimed: ClaimedPersonMessage,
  { outcome, next, now }: Attempted<MessageOutcome>,
): Promise<Recorded> {
  const { sql } = deps;
  if (outcome.movedTo !== undefined) await followChat(deps, claimed, outcome.movedTo);
  const settled = { next, now, columns: { status: outcome.status } };
  if (next.state !== 'pending') {
    await settle(sql, messageTable, [claimed], settled);
    return { parked: next.state === 'parked' };
  }
  await inTransaction(sql, async (tx) => {
    if ((await settle(tx, messageTable, [claimed], settled)) === 0) return;
    await tx`
      update person_messages set next_attempt_at = greatest(next_attempt_at, ${new Date(next.at)})
      where way_id = ${claimed.wayId} and state = 'pending' and seq > ${claimed.seq}`;
  });
  return {};
}

/** Stores the chat that a group of Telegram has moved to, unless its owner has chosen another one meanwhile. */
async function followChat(
  { sql, clock, secretKey }: Deps,
  { wayId, userId, settings: sealed }: ClaimedPersonMessage,
  chat: string,
): Promise<void> {
  if (wayId === userId || sealed === null) return;
  await inTransaction(sql, async (tx) => {
    const ref = { id: wayId, userId };
    const { way: before, settings } = await lockWay(tx, ref, secretKey);
    if (settings === undefined || settings.chat !== openSettings(secretKey, before.id, sealed)?.chat) return;
    await tx`
      update contact_ways set open_settings = ${tx.json({ ...before.open, chat })},
        settings = ${sealSettings(secretKey, before.id, { ...settings, chat })}
      where id = ${before.id}`;
    const after = await loadWay({ sql: tx }, ref);
    const marks = { settingsChanged: true };
    await recordWay(tx, { by, now: clock.now() }, { verb: 'update', before, after, marks });
  });
}
