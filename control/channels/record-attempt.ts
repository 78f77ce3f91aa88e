import { type ChannelNotice, channelTestEvent } from '../../contract/channels.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
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
  if (!parked || queueNotice === undefined || !concernsOwners(claimed)) {
    const counts = (await settle(sql, messageTable, [claimed], settled)) === 1;
    if (counts && next.state === 'pending') await deferBehind(sql, claimed, next.at);
    return { parked, told: false };
  }
  return inTransaction(sql, async (tx) => {
    // The page comes first, as where channels are created, and the message last, as where messages are queued:
    // transactions would otherwise wait for each other.
    await lockPageForNote(tx, pageId);
    await tx`select 1 from channels where id = ${id} for no key update`;
    const counts = (await settle(tx, messageTable, [claimed], settled)) === 1;
    const load = async () => noticeOf(claimed, outcome, now);
    const told =
      counts && (await noteToOwners(tx, queueNotice, { table: 'channels', id, pageId }, { load, now }));
    return { parked, told };
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
async function deferBehind(sql: Sql, { channelId, seq }: ClaimedMessage, at: number): Promise<void> {
  await sql`
    update channel_messages set next_attempt_at = greatest(next_attempt_at, ${new Date(at)})
    where channel_id = ${channelId} and state = 'pending' and seq > ${seq}`;
}
