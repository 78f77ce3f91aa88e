import type { ChannelNotice } from '../../contract/channels.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createEgress, type Egress } from '../../lib/outbound/egress.js';
import type { PollLoop } from '../../lib/poll-loop.js';
import {
  type Courier,
  type DeliveryDeps,
  type Limits,
  type QueueNotice,
  startDeliveryLoop,
} from '../delivery/index.js';
import { followChat } from './follow-chat.js';
import { providerOrigins } from './formats/message.js';
import type { MessageOutcome } from './judge-answer.js';
import { type Audience, type ClaimedMessage, messageQueue } from './queue.js';
import { disableReaderChannel } from './reader-channels.js';
import { recordAttempt } from './record-attempt.js';
import { type SendDeps, sendMessage } from './send-message.js';

export type ChannelLoopDeps = DeliveryDeps &
  Pick<SendDeps, 'secretKey' | 'linkOf' | 'alertLinkOf' | 'originOf' | 'timeoutMs'> &
  /** The servers of the providers when absent. */
  Partial<Pick<SendDeps, 'origins'>> & {
    /** Whether channels may lead to loopback and private networks. */
    allowPrivateAddresses: PrivateAddresses;
    /**
     * Sends to the chats of readers. Anybody may name one, so it reaches public addresses only when absent, whatever the
     * settings say.
     */
    readerEgress?: Egress | undefined;
    /** Queues emails to the owners of a page about messages that were parked. No owner gets an email when absent. */
    queueNotice?: QueueNotice<ChannelNotice>;
  };

/**
 * A provider that hangs takes a quarter of the room, and a page whose receivers all hang less than a fifth. A provider
 * that is well answers 16 at a time within a second or two.
 */
const teamAttemptsMax = 64;
const teamAttemptsMaxPerHost = 16;
const teamAttemptsMaxPerPage = 12;
/** Anybody may sign up a chat that hangs: messages to readers take no room from messages to a team. */
const readerAttemptsMax = 16;
const readerAttemptsMaxPerHost = 4;
const readerAttemptsMaxPerPage = 4;

const limits: Record<Audience, Limits> = {
  team: { max: teamAttemptsMax, maxPerKey: teamAttemptsMaxPerHost, maxPerPage: teamAttemptsMaxPerPage },
  readers: {
    max: readerAttemptsMax,
    maxPerKey: readerAttemptsMaxPerHost,
    maxPerPage: readerAttemptsMaxPerPage,
  },
};

/**
 * Sends the messages of channels until it is stopped: at least once each, and in the order of each channel. Any number of
 * instances may run on one database.
 */
export function startChannelLoop(deps: ChannelLoopDeps): PollLoop {
  const egress = createEgress({ allowPrivateAddresses: deps.allowPrivateAddresses });
  const { readerEgress = createEgress({ allowPrivateAddresses: false }) } = deps;
  const couriers = [createCourier(deps, 'team', egress), createCourier(deps, 'readers', readerEgress)];
  return startDeliveryLoop(deps, { name: 'channels', couriers });
}

function createCourier(
  deps: ChannelLoopDeps,
  audience: Audience,
  egress: Egress,
): Courier<ClaimedMessage, MessageOutcome> {
  const { origins = providerOrigins } = deps;
  return {
    ...{ queue: messageQueue(audience), limits: limits[audience], keyOf: ({ host }) => host },
    logged: ({ channelId, id }) => ({ channelId, messageId: id }),
    name: 'A message to a channel',
    open: async () => ({
      compose: async (message) => (signals) =>
        sendMessage({ ...deps, origins, egress }, message, signals.cut),
      async record(message, attempted) {
        const { outcome } = attempted;
        if (outcome.movedTo !== undefined) await followChat(deps, message, outcome.movedTo);
        const recorded = await recordAttempt(deps, message, attempted);
        if (audience === 'readers' && isGone(outcome)) await disableReaderChannel(deps, message);
        return recorded;
      },
    }),
  };
}

/** The webhook of a reader was deleted. */
const isGone = ({ status }: MessageOutcome): boolean => status === 404 || status === 410;
