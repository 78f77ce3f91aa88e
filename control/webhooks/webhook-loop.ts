import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { createEgress } from '../../lib/outbound/egress.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import type { Sql } from '../../sql/open-postgres.js';
import { queueDeliveries } from './queue-webhooks.js';
import { createWebhookSender } from './send-webhooks.js';

export type WebhookLoopDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** The one that the secrets of webhooks were sealed with. */
  secretKey: string;
  /** Whether webhooks may go to loopback and private networks. */
  allowPrivateAddresses: boolean;
  /** For a whole attempt; 10 s when not given. */
  attemptTimeoutMs?: number;
};

const attemptTimeoutMsUsual = 10_000;
/** For the attempts under way when it stops. */
const stopGraceMs = 5_000;
/** How soon new work is looked for while attempts are under way. */
const pollMs = 1_000;

/** Tells webhooks of what is announced, at least once and in the order of each incident, until it is stopped. */
export function startWebhookLoop(deps: WebhookLoopDeps): PollLoop {
  const { attemptTimeoutMs = attemptTimeoutMsUsual, allowPrivateAddresses } = deps;
  const sender = createWebhookSender({
    ...deps,
    attemptTimeoutMs,
    egress: createEgress({ allowPrivateAddresses }),
  });

  async function run(signal: AbortSignal): Promise<boolean> {
    const queued = await queueDeliveries(deps);
    const started = await sender.startDue();
    if (queued || started > 0) return true;
    return sender.untilOneEnded(pollMs, signal);
  }

  const loop = startPollLoop('webhooks', run, deps);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await sender.stop(stopGraceMs);
    },
  };
}
