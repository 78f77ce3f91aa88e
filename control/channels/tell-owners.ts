import { type ChannelNotice, channelTestEvent } from '../../contract/channels.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { AttemptOutcome, ClaimedMessage } from './queue.js';

/**
 * Queues emails to the owners of a page in a transaction, and returns whether the page has any.
 *
 * @param queued.now milliseconds since the epoch
 */
export type QueueNotice = (
  tx: Transaction,
  queued: { pageId: PageId; notice: ChannelNotice; now: number },
) => Promise<boolean>;

/** Whether the owners want to know when a message is given up: it was for the team, and nobody waits for its outcome. */
export const concernsOwners = ({ subscriberId, message }: ClaimedMessage): boolean =>
  subscriberId === null && message.event !== channelTestEvent;

/**
 * Locks what an email about a channel needs, and returns the name of the channel when one is due: a provider that is gone
 * for long gives up many messages, so there is one in a day. The page comes first, as where channels are created, and the
 * message last, as where messages are queued: transactions would otherwise wait for each other.
 */
export async function lockForNotice(
  tx: Transaction,
  { channelId, pageId }: ClaimedMessage,
  now: number,
): Promise<string | undefined> {
  await tx`select 1 from pages where id = ${pageId} for key share`;
  const [channel] = await tx<{ name: string; isDue: boolean }[]>`
    select name, owners_told_at is null or owners_told_at <= ${new Date(now - dayMs)}
      -- Written before the clock was put back.
      or owners_told_at > ${new Date(now + clocksDifferMsMax)} as "isDue"
    from channels where id = ${channelId} for no key update`;
  return channel?.isDue ? channel.name : undefined;
}

/** Tells the owners that a message was given up, in the transaction that records it. Returns whether there are any. */
export async function tellOwners(
  tx: Transaction,
  queueNotice: QueueNotice,
  { claimed, outcome, name, now }: Occasion,
): Promise<boolean> {
  const { channelId, pageId, kind, host, attempts, message } = claimed;
  const { status, error, said } = outcome;
  const notice: ChannelNotice = {
    ...{ what: 'channel', channelId, kind, name, host, message: message.title, attempts },
    lastAttempt: {
      at: new Date(now).toISOString(),
      status,
      error: error ?? '',
      ...(said !== undefined && { said }),
    },
  };
  if (!(await queueNotice(tx, { pageId, notice, now }))) return false;
  await tx`update channels set owners_told_at = ${new Date(now)} where id = ${channelId}`;
  return true;
}

type Occasion = {
  claimed: ClaimedMessage;
  outcome: AttemptOutcome;
  /** Name of the channel. */
  name: string;
  /** Milliseconds since the epoch. */
  now: number;
};
