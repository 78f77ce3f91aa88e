import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.js';
import type { WebhookId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createAttemptPool } from '../../lib/outbound/attempt-pool.js';
import { createEgress, type Egress } from '../../lib/outbound/egress.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import type { Sql } from '../../sql/open-postgres.js';
import { attemptDelivery } from './attempt.js';
import { createBodyComposer } from './bodies.js';
import type { ClaimedDelivery } from './delivery.js';
import {
  claimDeliveries,
  giveBackAttempts,
  queueDeliveries,
  recordAttempt,
  releaseDelivery,
} from './queue.js';
import { attemptTimeoutMs as attemptTimeoutMsUsual, startWithinMs } from './schedule.js';
import type { QueueNotice } from './tell-owners.js';

export type WebhookLoopDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** The key that the secrets of webhooks are sealed with. */
  secretKey: string;
  /** Whether webhooks may go to loopback and private networks. */
  allowPrivateAddresses: PrivateAddresses;
  /** Limit of a whole attempt; 20 s when absent. */
  attemptTimeoutMs?: number;
  /** Pause of the loop after a run that found nothing; see startPollLoop(). */
  pollMs?: number;
  /** Time that running attempts have to end when the loop stops; 5 s when absent. */
  stopGraceMs?: number;
  /**
   * Called after each run that queued something. Another loop skips the announcements that this one has locked, and
   * would find them only after its pause.
   */
  onQueued?(): void;
  /** Queues emails to the owners of a page. Absent when no email can be sent; the log then says what was parked. */
  queueNotice?: QueueNotice;
  /** Called when emails to owners were queued. */
  onTold?(): void;
};

const stopGraceMsUsual = 5_000;
/** Three slow receivers, which have 4 attempts each, take the turns of their page, and five such pages those of all. */
const attemptsMax = 64;
const attemptsMaxPerWebhook = 4;
const attemptsMaxPerPage = 12;

/**
 * Delivers announcements to webhooks until it is stopped: at least once each, and in the order of each incident. Any
 * number of instances may run on one database.
 */
export function startWebhookLoop(deps: WebhookLoopDeps): PollLoop {
  const { attemptTimeoutMs = attemptTimeoutMsUsual, allowPrivateAddresses } = deps;
  const egress = createEgress({ allowPrivateAddresses });
  // An attempt that has ended leaves room, and a queue with a new head.
  const sender = createSender({ ...deps, attemptTimeoutMs, egress, onEnded: () => loop.wake() });

  async function run(): Promise<boolean> {
    const queued = await queueDeliveries(deps);
    if (queued) deps.onQueued?.();
    const started = await sender.startDue();
    return queued || started > 0;
  }

  const loop = startPollLoop('webhooks', run, deps);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await sender.stop(deps.stopGraceMs ?? stopGraceMsUsual);
    },
  };
}

type SenderDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  egress: Egress;
  secretKey: string;
  attemptTimeoutMs: number;
  queueNotice?: QueueNotice;
  onTold?(): void;
  /** Called when an attempt has ended. */
  onEnded(): void;
};

type Sender = {
  /** Claims due deliveries, as many as there is room for, and starts their attempts. Returns how many it claimed. */
  startDue(): Promise<number>;
  /** Waits for the running attempts, aborts after `graceMs` those that are left, and releases their claims. */
  stop(graceMs: number): Promise<void>;
};

/** No transaction is open during an attempt. */
function createSender(deps: SenderDeps): Sender {
  const { log } = deps;
  const pool = createAttemptPool<WebhookId>({
    ...{ max: attemptsMax, maxPerKey: attemptsMaxPerWebhook, maxPerPage: attemptsMaxPerPage },
    onEnded: deps.onEnded,
  });

  async function attempt(delivery: ClaimedDelivery, body: string, stopping: AbortSignal): Promise<void> {
    const about = { webhookId: delivery.webhook_id, deliveryId: delivery.id };
    const timeoutMs = deps.attemptTimeoutMs;
    try {
      const outcome = await attemptDelivery({ ...deps, timeoutMs }, delivery, body, stopping);
      const { state, disabled, told } = await recordAttempt(deps, delivery, outcome);
      const { error } = outcome;
      if (state === 'parked') log.warn({ ...about, error }, 'A webhook delivery was parked.');
      if (disabled) log.warn({ ...about, error }, 'A webhook was disabled, because its receiver is gone.');
      if (told) deps.onTold?.();
    } catch (err) {
      if (stopping.aborted) await releaseDelivery(deps, delivery).catch(() => {});
      // The claim expires and the delivery is sent again. The receiver recognizes it by its id.
      else log.error({ ...about, err }, 'A webhook attempt could not be made or recorded.');
    }
  }

  /** @param claimedAt when the claims were made, in milliseconds since the epoch */
  async function startAll(claimed: readonly ClaimedDelivery[], claimedAt: number): Promise<void> {
    // At most `attemptsMax` bodies, each of which is kept until its last attempt has ended.
    const compose = createBodyComposer(deps);
    // Each body may take as long as its queries may. When the lease ends, another instance sends the delivery, and this
    // one would send an older body after it.
    const isLate = (): boolean => deps.clock.now() - claimedAt > startWithinMs;
    const late: ClaimedDelivery[] = [];
    const failed: ClaimedDelivery[] = [];
    for (const delivery of claimed) {
      // The body of a second webhook needs no query, and signing 200 KB takes up to a millisecond: ten webhooks in one
      // turn of the event loop would hold it for ten.
      await nextTurn();
      try {
        const body = isLate() ? undefined : await compose(delivery);
        if (isLate()) late.push(delivery);
        else if (body !== undefined)
          pool.start({ key: delivery.webhook_id, pageId: delivery.page_id }, (signal) =>
            attempt(delivery, body, signal),
          );
      } catch (err) {
        // One entry that cannot be loaded does not hold up the others.
        failed.push(delivery);
        log.error({ deliveryId: delivery.id, err }, 'The body of a webhook delivery could not be composed.');
      }
    }
    if (late.length > 0) {
      log.warn(
        { deliveries: late.length },
        'PostgreSQL is slow; webhook deliveries wait for their next claim.',
      );
    }
    await giveBackAttempts(deps, [...late, ...failed]);
  }

  return {
    async startDue() {
      const { room } = pool;
      if (room.free <= 0) return 0;
      const claimedAt = deps.clock.now();
      const claimed = await claimDeliveries(deps, room);
      await startAll(claimed, claimedAt);
      return claimed.length;
    },
    stop: pool.stop,
  };
}
