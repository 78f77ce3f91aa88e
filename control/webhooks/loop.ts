import type { WebhookNotice } from '../../contract/webhooks.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createEgress } from '../../lib/outbound/egress.js';
import type { PollLoop } from '../../lib/poll-loop.js';
import {
  type Attempted,
  type Courier,
  type DeliveryDeps,
  type QueueNotice,
  type Send,
  startDeliveryLoop,
} from '../delivery/index.js';
import { createBodyComposer } from './compose-body.js';
import {
  attemptTimeoutMs as attemptTimeoutMsUsual,
  type ClaimedDelivery,
  deliveryQueue,
  queueDeliveries,
  startWithinMs,
} from './queue.js';
import { recordAttempt } from './record-attempt.js';
import { type DeliveryOutcome, sendDelivery } from './send-delivery.js';

export type WebhookLoopDeps = DeliveryDeps & {
  /** The key that the secrets of webhooks are sealed with. */
  secretKey: string;
  /** Whether webhooks may go to loopback and private networks. */
  allowPrivateAddresses: PrivateAddresses;
  /** Limit of a whole attempt; 20 s when absent. */
  attemptTimeoutMs?: number;
  /**
   * Called after each run that queued something. Another loop skips the announcements that this one has locked, and
   * would find them only after its pause.
   */
  onQueued?(): void;
  /** Queues emails to the owners of a page. Absent when no email can be sent; the log then says what was parked. */
  queueNotice?: QueueNotice<WebhookNotice>;
};

/** Three slow receivers, which have 4 attempts each, take the room of their page, and five such pages all the room. */
const attemptsMax = 64;
const attemptsMaxPerWebhook = 4;
const attemptsMaxPerPage = 12;

/**
 * Delivers announcements to webhooks until it is stopped: at least once each, and in the order of each incident. Any
 * number of instances may run on one database.
 */
export function startWebhookLoop(deps: WebhookLoopDeps): PollLoop {
  return startDeliveryLoop(deps, {
    name: 'webhooks',
    couriers: [createCourier(deps)],
    async queueNew() {
      const queued = await queueDeliveries(deps);
      if (queued) deps.onQueued?.();
      return queued;
    },
  });
}

function createCourier(deps: WebhookLoopDeps): Courier<ClaimedDelivery, DeliveryOutcome> {
  const { log, allowPrivateAddresses, attemptTimeoutMs: timeoutMs = attemptTimeoutMsUsual } = deps;
  const egress = createEgress({ allowPrivateAddresses });
  const logged = ({ webhookId, id }: ClaimedDelivery) => ({ webhookId, deliveryId: id });
  // These two are outside of open(), because they are kept until the attempt has ended, and open() has the bodies of all.
  const sendOf =
    (delivery: ClaimedDelivery, body: string): Send<DeliveryOutcome> =>
    ({ cut }) =>
      sendDelivery({ ...deps, egress, timeoutMs }, delivery, body, cut);
  const record = async (delivery: ClaimedDelivery, attempted: Attempted<DeliveryOutcome>) => {
    const recorded = await recordAttempt(deps, delivery, attempted);
    const about = { ...logged(delivery), error: attempted.outcome.error };
    if (recorded.disabled) log.warn(about, 'A webhook was disabled, because its receiver is gone.');
    return recorded;
  };
  return {
    ...{ queue: deliveryQueue, startWithinMs, keyOf: ({ webhookId }) => webhookId, logged },
    limits: { max: attemptsMax, maxPerKey: attemptsMaxPerWebhook, maxPerPage: attemptsMaxPerPage },
    name: 'A webhook delivery',
    async open() {
      // At most `attemptsMax` bodies, each of which is kept until its last attempt has ended.
      const composeBody = createBodyComposer(deps);
      return {
        async compose(delivery) {
          const body = await composeBody(delivery);
          return body === undefined ? undefined : sendOf(delivery, body);
        },
        record,
      };
    },
  };
}
