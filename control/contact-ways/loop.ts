import { personEvents } from '../../contract/manage/contact-ways.js';
import type { PageId, UserId } from '../../lib/ids.js';
import type { PollLoop } from '../../lib/poll-loop.js';
import { textsOf } from '../../web/texts/texts-of.js';
import type { ChannelMessage, MessageOutcome } from '../channels/index.js';
import { type Courier, type DeliveryDeps, type Limits, startDeliveryLoop } from '../delivery/index.js';
import { openSettings } from './find-ways.js';
import type { WaySettings } from './parse-way.js';
import { attemptTimeoutMs, type Carrier, type ClaimedPersonMessage, carriers, personQueue } from './queue.js';
import { recordAttempt } from './record-attempt.js';
import { sealedElsewhere } from './send-now.js';
import type { WaySender } from './sender.js';

/** The alert that a link leads one person to. */
export type LinkedAlert = { pageId: PageId; pageSlug: string; alertKey: string; userId: UserId };

export type PersonLoopDeps = DeliveryDeps & {
  secretKey: string;
  sender: Pick<WaySender, 'send'>;
  /** Returns the address that shows an alert to a person. */
  alertLinkOf(alert: LinkedAlert): string;
  /** Limit of a whole attempt; 20 s when absent. */
  timeoutMs?: number;
};

/** A provider that hangs takes a quarter of the room, and a page whose people are all told at once less than half. */
const providerAttemptsMax = 64;
const providerAttemptsMaxPerHost = 16;
const providerAttemptsMaxPerPage = 24;
/** Gateways and mail servers answer within a second, and bound how much they take at once. */
const otherAttemptsMax = 8;
const otherAttemptsMaxPerPage = 4;

const others: Limits = {
  ...{ max: otherAttemptsMax, maxPerKey: otherAttemptsMax, maxPerPage: otherAttemptsMaxPerPage },
};
const limits: Readonly<Record<Carrier, Limits>> = {
  providers: {
    max: providerAttemptsMax,
    maxPerKey: providerAttemptsMaxPerHost,
    maxPerPage: providerAttemptsMaxPerPage,
  },
  gateway: others,
  smtp: others,
};

/**
 * Sends the messages to people until it is stopped: at least once each, and in the order of each way. Any number of
 * instances may run on one database.
 */
export function startPersonLoop(deps: PersonLoopDeps): PollLoop {
  const couriers = carriers.map((carrier) => createCourier(deps, carrier));
  return startDeliveryLoop(deps, { name: 'contact-ways', couriers });
}

function createCourier(
  deps: PersonLoopDeps,
  carrier: Carrier,
): Courier<ClaimedPersonMessage, MessageOutcome> {
  const { sender, timeoutMs = attemptTimeoutMs } = deps;
  return {
    ...{ queue: personQueue(carrier), limits: limits[carrier], keyOf: ({ host }) => host },
    logged: ({ wayId, id }) => ({ wayId, messageId: id }),
    name: 'A message to a person',
    open: async () => ({
      compose: async (message) => async (signals) => {
        const refused = refusalOf(message);
        const settings = refused === undefined ? settingsOf(deps, message) : undefined;
        if (settings === undefined) {
          return { status: null, error: refused ?? sealedElsewhere, mayRepeat: false };
        }
        return sender.send(letterOf(deps, message, settings), { timeoutMs, signal: signals.cut });
      },
      record: (message, attempted) => recordAttempt(deps, message, attempted),
    }),
  };
}

/** Returns why a message must no longer be sent, or `undefined` when it may. */
function refusalOf(message: ClaimedPersonMessage): string | undefined {
  const { mayHear, phase, wasTold, wayId, userId, settings, isConfirmed } = message;
  if (!mayHear) return 'person: The person may not hear of the page any more.';
  if (phase === 'end' && !wasTold) return 'untold: The alert is over, and nothing of it was delivered here.';
  if (wayId === userId) return undefined;
  if (settings === null) return 'off: The way was deleted.';
  return isConfirmed ? undefined : 'unconfirmed: The way is not confirmed.';
}

function settingsOf(
  { secretKey }: PersonLoopDeps,
  { wayId, userId, email, settings }: ClaimedPersonMessage,
): WaySettings | undefined {
  if (wayId === userId) return { to: email };
  return settings === null ? undefined : openSettings(secretKey, wayId, settings);
}

const severities = { page: 'critical', ticket: 'warning', info: 'info' } as const;

function letterOf({ alertLinkOf }: PersonLoopDeps, claimed: ClaimedPersonMessage, settings: WaySettings) {
  const { id, kind, phase, severity, alertKey, pageName: page } = claimed;
  const language = claimed.language ?? 'en';
  const { button } = textsOf('account-mail', language).way;
  const message: ChannelMessage = {
    ...claimed.message,
    ...{
      event: personEvents[phase],
      phase: phase === 'end' ? 'end' : 'begin',
      severity: severities[severity],
    },
    ...{ page, key: alertKey, links: [{ text: button, url: alertLinkOf(claimed) }] },
  };
  return { id, kind, settings, language, message };
}
