import { setMaxListeners } from 'node:events';
import type { Clock } from '../../lib/clock.js';
import type { WebhookId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { Egress } from '../../lib/outbound/egress.js';
import type { Sql } from '../../sql/open-postgres.js';
import { attemptDelivery } from './attempt-webhook.js';
import { type ClaimedDelivery, claimDeliveries } from './claim-webhooks.js';
import { recordAttempt, releaseDelivery } from './record-webhook-attempt.js';

/** So that receivers which are slow, fewer than a handful, leave room for all others. */
const attemptsAtOnce = 32;
const attemptsAtOncePerWebhook = 4;

export type SenderDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  egress: Egress;
  secretKey: string;
  attemptTimeoutMs: number;
};

export type WebhookSender = {
  /** Starts attempts of what is due, as many as there is room for; answers how many. */
  startDue(): Promise<number>;
  /**
   * Waits until an attempt has ended since startDue() was called, so that there is room or a queue has a new head,
   * but no longer than `ms`. Answers false at once when there is none to wait for.
   */
  untilOneEnded(ms: number, signal: AbortSignal): Promise<boolean>;
  /** Waits for the attempts under way, breaks off after `graceMs` those that are left, and hands them back. */
  stop(graceMs: number): Promise<void>;
};

/** Makes attempts side by side: none waits for another webhook's, and no transaction is open while one runs. */
export function createWebhookSender(deps: SenderDeps): WebhookSender {
  const { log } = deps;
  const underWay = new Map<Promise<void>, WebhookId>();
  const stopping = new AbortController();
  setMaxListeners(attemptsAtOnce, stopping.signal);
  let oneEnded = false;
  let wake: () => void = () => {};

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    const about = { webhookId: delivery.webhook_id, deliveryId: delivery.id };
    const timeoutMs = deps.attemptTimeoutMs;
    try {
      const outcome = await attemptDelivery({ ...deps, timeoutMs }, delivery, stopping.signal);
      const state = await recordAttempt(deps, delivery, outcome);
      if (state === 'parked') log.warn({ ...about, error: outcome.error }, 'A webhook delivery was parked.');
    } catch (err) {
      if (stopping.signal.aborted) await releaseDelivery(deps, delivery).catch(() => {});
      // The claim runs out, and the delivery is sent again: its receiver tells by the id if it has it.
      else log.error({ ...about, err }, 'A webhook attempt could not be made or written down.');
    }
  }

  function countByWebhook(): Map<WebhookId, number> {
    const counts = new Map<WebhookId, number>();
    for (const id of underWay.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  function start(delivery: ClaimedDelivery): void {
    const ended = attempt(delivery).finally(() => {
      underWay.delete(ended);
      oneEnded = true;
      wake();
    });
    underWay.set(ended, delivery.webhook_id);
  }

  return {
    async startDue() {
      oneEnded = false;
      const free = attemptsAtOnce - underWay.size;
      if (free <= 0) return 0;
      const room = { free, perWebhook: attemptsAtOncePerWebhook, busy: countByWebhook() };
      const claimed = await claimDeliveries(deps, room);
      for (const delivery of claimed) start(delivery);
      return claimed.length;
    },
    async untilOneEnded(ms, signal) {
      if (oneEnded) return true;
      if (underWay.size === 0 || signal.aborted) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', wake, { once: true });
      });
      signal.removeEventListener('abort', wake);
      return true;
    },
    async stop(graceMs) {
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(underWay.keys());
      clearTimeout(timer);
    },
  };
}
