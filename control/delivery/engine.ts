import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import type { Sql } from '../../sql/open-postgres.js';
import { createAttemptPool, type Limits, type StopSignals } from './attempt-pool.js';
import { type Next, nextOf, type Outcome } from './outcome.js';
import { type Claimed, claimDue, giveBack, type Queue, release } from './queue.js';

export type DeliveryDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Pause of the loop after a run that found nothing; see startPollLoop(). */
  pollMs?: number;
  /** Time that running attempts have to end when the loop stops; 5 s when absent. */
  stopGraceMs?: number;
  /** Called when emails to owners were queued. */
  onTold?(): void;
};

/** Composes and sends the rows of a queue. */
export type Courier<Row extends Claimed, Result extends Outcome> = {
  queue: Queue;
  limits: Limits;
  /** Claims only when so many attempts may start; 1 when absent. */
  claimMin?: number;
  /** Time after a claim in which an attempt may start, in milliseconds; any when absent. */
  startWithinMs?: number;
  /** Returns the webhook or host that `limits.maxPerKey` bounds. */
  keyOf(row: Row): string;
  /** Begins a sentence of the log, as “A webhook delivery” does. */
  name: string;
  /** Returns the fields by which the log names a row, without a secret. */
  logged(row: Row): Record<string, unknown>;
  /** Prepares to send rows that were claimed together. */
  open(rows: readonly Row[]): Promise<Round<Row, Result>>;
};

/** The rows of one claim on their way. */
export type Round<Row extends Claimed, Result extends Outcome> = {
  /**
   * Composes a row, one after the other, and returns the function that sends it. Returns `undefined` for a row that needs
   * no attempt, because it was deleted or parked.
   */
  compose(row: Row): Promise<Send<Result> | undefined>;
  /** Stores the state after an attempt; see settle(). */
  record(row: Row, attempted: Attempted<Result>): Promise<Recorded>;
};

/**
 * Sends a row once. No transaction is open meanwhile. Resolves to `undefined` when the loop stops and nothing
 * was sent. Rejects when `cut` is aborted; the outcome is then unknown.
 */
export type Send<Result extends Outcome> = (signals: StopSignals) => Promise<Result | undefined>;

/** `now` is in milliseconds since the epoch. */
export type Attempted<Result extends Outcome> = { outcome: Result; next: Next; now: number };

export type Recorded = {
  /** The row was parked, and the log has not said so. */
  parked?: boolean;
  /** Emails to the owners of the page were queued. */
  told?: boolean;
};

const stopGraceMsUsual = 5_000;

/**
 * Delivers the rows of queues until it is stopped, at least once each: claims as many due rows as there is room for,
 * composes them, attempts them side by side, and records the outcomes. Any number of instances may run on one database.
 *
 * @param loop.queueNew turns some of the events that have happened into rows, and returns whether there were any
 */
export function startDeliveryLoop<Row extends Claimed, Result extends Outcome>(
  deps: DeliveryDeps,
  loop: { name: string; couriers: readonly Courier<Row, Result>[]; queueNew?(): Promise<boolean> },
): PollLoop {
  // An attempt that has ended leaves room, and may leave a row behind it that is due now.
  const senders = loop.couriers.map((courier) => createSender(deps, courier, () => polling.wake()));

  async function run(): Promise<boolean> {
    let found = (await loop.queueNew?.()) ?? false;
    for (const sender of senders) found = (await sender.startDue()) || found;
    return found;
  }

  const polling = startPollLoop(loop.name, run, deps);
  return {
    wake: polling.wake,
    async stop() {
      await polling.stop();
      await Promise.all(senders.map((sender) => sender.stop(deps.stopGraceMs ?? stopGraceMsUsual)));
    },
  };
}

function createSender<Row extends Claimed, Result extends Outcome>(
  deps: DeliveryDeps,
  courier: Courier<Row, Result>,
  onEnded: () => void,
) {
  const { sql, clock, log } = deps;
  const { queue, name, claimMin = 1, startWithinMs = Number.POSITIVE_INFINITY } = courier;
  const pool = createAttemptPool({ ...courier.limits, onEnded });

  async function attempt(
    row: Row,
    { send, record }: { send: Send<Result>; record: Round<Row, Result>['record'] },
    signals: StopSignals,
  ): Promise<void> {
    try {
      const outcome = await send(signals);
      if (outcome === undefined) return await release(sql, queue, [row]);
      const now = clock.now();
      const next = nextOf(queue, row, outcome, now);
      const { parked, told } = await record(row, { outcome, next, now });
      if (parked) log.warn({ ...courier.logged(row), error: outcome.error }, `${name} was parked.`);
      if (told) deps.onTold?.();
    } catch (err) {
      if (signals.cut.aborted) await release(sql, queue, [row]).catch(() => {});
      // The claim lapses and the row is sent again. A receiver recognizes it by its id.
      else log.error({ ...courier.logged(row), err }, `${name} could not be sent or recorded.`);
    }
  }

  /** @param claimedAt when the claims were made, in milliseconds since the epoch */
  async function startAll(rows: readonly Row[], claimedAt: number): Promise<void> {
    const { compose, record } = await courier.open(rows);
    // Composing may take as long as its queries may. When the lease ends, another instance sends the row, and this one
    // would send an older body after it.
    const isLate = (): boolean => clock.now() - claimedAt > startWithinMs;
    const late: Row[] = [];
    const failed: Row[] = [];
    for (const row of rows) {
      // A second body may need no query, and signing 200 KB takes up to a millisecond: ten in one turn of the event loop
      // would hold it for ten.
      await nextTurn();
      try {
        const send = isLate() ? undefined : await compose(row);
        const of = { key: courier.keyOf(row), pageId: row.pageId };
        if (isLate()) late.push(row);
        else if (send !== undefined) pool.start(of, (signals) => attempt(row, { send, record }, signals));
      } catch (err) {
        // One row that cannot be composed does not hold up the others.
        failed.push(row);
        log.error({ ...courier.logged(row), err }, `${name} could not be composed.`);
      }
    }
    if (late.length > 0) {
      log.warn(
        { queue: queue.table, rows: late.length },
        'PostgreSQL is slow: rows wait for their next claim.',
      );
    }
    await giveBack(sql, queue, [...late, ...failed]);
  }

  return {
    /** Claims due rows, as many as there is room for, and starts their attempts. Returns whether there were any. */
    async startDue(): Promise<boolean> {
      const { room } = pool;
      if (room.free < claimMin) return false;
      const now = clock.now();
      const claimed = await claimDue<Row>(sql, queue, { room, now });
      if (claimed.length > 0) await startAll(claimed, now);
      return claimed.length > 0;
    },
    stop: pool.stop,
  };
}
