import { type ChannelNotice, channelTestEvent } from '../../contract/channels.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import {
  type Attempted,
  lockPageForNote,
  noteToOwners,
  type QueueNotice,
  type Recorded,
  settle,
} from '../delivery/index.js';
import type { MessageOutcome } from './judge-answer.js';
import { type ClaimedMessage, messageTable } from './queue.js';

type Deps = {
  sql: Sql;
  /** When absent, no owner gets an email. */
  queueNotice?: QueueNotice<ChannelNotice> | undefined;
};

/** Records what follows from an attempt. The owners of the page get an email when a message to their team is parked. */
export async function recordAttempt(
  { sql, queueNotice }: Deps,
  claimed: ClaimedMessage,
  { outcome, next, now }: Attempted<MessageOutcome>,
): Promise<Recorded> {
  const { pageId, channelId: id } = claimed;
  const parked = next.state === 'parked';
  const settled = { next, now, columns: { status: outcome.status } };
  if (next.state === 'delivered') {
    await settle(sql, messageTable, [claimed], settled);
    return { parked, told: false };
  }
  const noteQueue = parked && concernsOwners(claimed) ? queueNotice : undefined;
  return inTransaction(sql, async (tx) => {
    // The page comes first, as where channels are created, and the message last, as where messages are queued:
    // transactions would otherwise wait for each other.
    if (noteQueue !== undefined) await lockPageForNote(tx, pageId);
    await tx`select 1 from channels where id = ${id} for no key update`;
    if ((await settle(tx, messageTable, [claimed], settled)) === 0) return { parked, told: false };
    if (next.state === 'pending') await deferBehind(tx, claimed, next.at);
    if (noteQueue === undefined) return { parked, told: false };
    const load = async () => noticeOf(claimed, outcome, now);
    return {
      parked,
      told: await noteToOwners(tx, noteQueue, { table: 'channels', id, pageId }, { load, now }),
    };
  });
}

/** Owners are not told about messages to readers, nor about tests: somebody waits for the outcome of a test. */
const concernsOwners = ({ subscriberId, message }: ClaimedMessage): boolean =>
  subscriberId === null && message.event !== channelTestEvent;

function noticeOf(
  { channelId, kind, name, host, message, attempts }: ClaimedMessage,
  { status, error, said }: MessageOutcome,
  now: number,
): ChannelNotice {
  return {
    ...{ what: 'channel', channelId, kind, name, host, message: message.title, attempts },
    lastAttempt: {
      ...{ at: new Date(now).toISOString(), status, error: error ?? '' },
      ...(said !== undefined && { said }),
    },
  };
}

/**
 * Messages behind one that is tried again later are due no earlier, so that a channel that is down costs no more than its
 * first message.
 */
async function deferBehind(tx: Transaction, { channelId, seq }: ClaimedMessage, at: number): Promise<void> {
  await tx`
    update channel_messages set next_attempt_at = greatest(next_attempt_at, ${new Date(at)})
    where channel_id = ${channelId} and state = 'pending' and seq > ${seq}`;
}
