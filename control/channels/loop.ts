import type { Log } from '../../lib/log.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createAttemptPool } from '../../lib/outbound/attempt-pool.js';
import { createEgress, type Egress } from '../../lib/outbound/egress.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type AttemptDeps, attemptMessage } from './attempt.js';
import { followChat } from './follow-chat.js';
import { type ProviderOrigins, providerOrigins } from './formats/message.js';
import { type AttemptOutcome, type Audience, type ClaimedMessage, claimMessages } from './queue.js';
import { disableReaderChannel } from './reader-channels.js';
import { recordAttempt, releaseMessage } from './record-attempt.js';
import type { QueueNotice } from './tell-owners.js';

export type ChannelLoopDeps = Pick<
  AttemptDeps,
  'clock' | 'secretKey' | 'linkOf' | 'originOf' | 'timeoutMs'
> & {
  sql: Sql;
  log: Log;
  /** Whether channels may lead to loopback and private networks. */
  allowPrivateAddresses: PrivateAddresses;
  /**
   * Sends to the chats of readers. Anybody may name one, so it reaches public addresses only when absent, whatever the
   * settings say.
   */
  readerEgress?: Egress | undefined;
  /** Emails the owners of a page about messages that were given up; nobody when absent. */
  queueNotice?: QueueNotice;
  /** Called when emails to owners were queued. */
  onTold?(): void;
  /** Those of the providers when absent. */
  origins?: ProviderOrigins;
  /** Pause of the loop after a run that found nothing; see startPollLoop(). */
  pollMs?: number;
  /** Time that running attempts have to end when the loop stops; 5 s when absent. */
  stopGraceMs?: number;
};

/** The webhook of a reader was deleted: its chat wants nothing any more. */
const isGone = ({ status }: AttemptOutcome): boolean => status === 404 || status === 410;

const stopGraceMsUsual = 5_000;
/**
 * A provider that hangs takes a quarter of the room, and a page whose receivers all hang less than a fifth. A provider
 * that is well answers 16 at a time within a second or two.
 */
const teamAttemptsMax = 64;
const teamAttemptsMaxPerHost = 16;
const teamAttemptsMaxPerPage = 12;
/** Anybody may sign up a chat that hangs: what is sent to readers takes no room from what a team gets. */
const readerAttemptsMax = 16;
const readerAttemptsMaxPerHost = 4;
const readerAttemptsMaxPerPage = 4;

/**
 * Sends the messages of channels until it is stopped: at least once each, and in the order of each channel. Any number of
 * instances may run on one database.
 */
export function startChannelLoop(deps: ChannelLoopDeps): PollLoop {
  const { log, origins = providerOrigins, allowPrivateAddresses } = deps;
  const egress = createEgress({ allowPrivateAddresses });
  const { readerEgress = createEgress({ allowPrivateAddresses: false }) } = deps;
  // An attempt that has ended leaves room, and a channel with another first message.
  const onEnded = () => loop.wake();
  const pools = {
    team: createAttemptPool<string>({
      ...{ max: teamAttemptsMax, maxPerKey: teamAttemptsMaxPerHost, maxPerPage: teamAttemptsMaxPerPage },
      onEnded,
    }),
    readers: createAttemptPool<string>({
      ...{
        max: readerAttemptsMax,
        maxPerKey: readerAttemptsMaxPerHost,
        maxPerPage: readerAttemptsMaxPerPage,
      },
      onEnded,
    }),
  };

  async function attempt(claimed: ClaimedMessage, signal: AbortSignal): Promise<void> {
    const about = { channelId: claimed.channelId, messageId: claimed.id };
    try {
      const way = claimed.subscriberId === null ? egress : readerEgress;
      const outcome = await attemptMessage({ ...deps, origins, egress: way }, claimed, signal);
      if (outcome.movedTo !== undefined) await followChat(deps, claimed, outcome.movedTo);
      const { state, told } = await recordAttempt(deps, claimed, outcome);
      if (claimed.subscriberId !== null && isGone(outcome)) await disableReaderChannel(deps, claimed);
      if (state === 'parked')
        log.warn({ ...about, error: outcome.error }, 'A message to a channel was given up.');
      if (told) deps.onTold?.();
    } catch (err) {
      if (signal.aborted) await releaseMessage(deps, claimed).catch(() => {});
      // The claim lapses and the message is sent again.
      else log.error({ ...about, err }, 'A message to a channel could not be sent or recorded.');
    }
  }

  /** Returns whether there was something to send. */
  async function startDue(audience: Audience): Promise<boolean> {
    const pool = pools[audience];
    if (pool.room.free <= 0) return false;
    const claimed = await claimMessages(deps, pool.room, audience);
    for (const one of claimed)
      pool.start({ key: one.host, pageId: one.pageId }, (signal) => attempt(one, signal));
    return claimed.length > 0;
  }

  async function run(): Promise<boolean> {
    const [team, readers] = [await startDue('team'), await startDue('readers')];
    return team || readers;
  }

  const loop = startPollLoop('channels', run, deps);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      const graceMs = deps.stopGraceMs ?? stopGraceMsUsual;
      await Promise.all([pools.team.stop(graceMs), pools.readers.stop(graceMs)]);
    },
  };
}
