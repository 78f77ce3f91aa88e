import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter } from '../../../lib/limiter.js';
import { startDeadline } from '../../../lib/timeout.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import {
  type Attempted,
  type Claimed,
  type Courier,
  type DeliveryDeps,
  type Next,
  type Outcome,
  type Queue,
  settle,
} from '../../delivery/index.js';
import { judgeFailure, type OutgoingMessage, type Smtp } from './smtp.js';

export type MailDeps = DeliveryDeps & {
  secretKey: string;
  smtp: Smtp;
  /** Limit of one message, after which the attempt has failed. */
  sendTimeoutMs: number;
};

/** The outcome of an attempt. The codes come from nodemailer and from the server. */
type MailOutcome = Outcome & {
  /** The server says that no email can reach the address. */
  bounced: boolean;
  code?: string | undefined;
  responseCode?: number | undefined;
};

export type Failure<Row> = Pick<MailOutcome, 'code' | 'responseCode'> & {
  row: Row;
  outcome: 'bounced' | 'parked' | 'retried';
};

/** Composes an email, or says why it can never be sent. */
type Compose = () => OutgoingMessage | { refused: string };

/** A queue of emails, and how its emails differ from others. */
export type MailRoute<Row extends Claimed> = {
  queue: Queue;
  /** Messages in flight. */
  lanes: number;
  /** Emails of one claim; the next one is made when they have all been sent. */
  batchSize: number;
  /**
   * Prepares to compose emails that were claimed together, and returns the function that composes one when its turn
   * comes; `undefined` for an email that was parked instead.
   */
  open(rows: readonly Row[]): Promise<(row: Row) => Compose | undefined>;
  /** Further columns of an email that has ended. */
  columnsAtEnd?: Record<string, null>;
  /** Called in the transaction that parks an email whose address bounced. */
  onBounce?(tx: Transaction, row: Row, now: number): Promise<void>;
  /** Logs the attempts of a batch that failed, without addresses. The reasons, which may hold one, are stored. */
  logFailures(failures: readonly Failure<Row>[]): void;
};

/**
 * A lane sends at most one message in this time, which is 200 a second for the emails of pages: composing messages takes
 * processor time, and requests to the API come first. Few servers answer faster.
 */
const messageMs = 40;

/** Pauses after statements that did not record what was delivered. Together shorter than the time that a stop takes. */
const storePausesMs = [100, 300, 1_000, 2_500];
/** Rows that may wait for such a statement. */
const waitingMax = 1_000;

/** Returns a courier that sends the emails of a queue to the SMTP server, a batch at a time. */
export function createMailCourier<Row extends Claimed>(
  deps: MailDeps,
  route: MailRoute<Row>,
): Courier<Row, MailOutcome> {
  const { sql, clock } = deps;
  const { queue, batchSize } = route;
  const inLane = createLanes(route.lanes);
  const store = (sql: Sql | Transaction, rows: readonly Row[], next: Next, now: number) =>
    settle(sql, queue, rows, { next, now, ...(next.state !== 'pending' && { columns: route.columnsAtEnd }) });
  const storeDelivered = together((rows: readonly Row[]) =>
    store(sql, rows, { state: 'delivered', reason: null }, clock.now()),
  );

  async function storeFailure(row: Row, { outcome, next, now }: Attempted<MailOutcome>): Promise<void> {
    await inTransaction(sql, async (tx) => {
      await store(tx, [row], next, now);
      if (outcome.bounced) await route.onBounce?.(tx, row, now);
    });
  }

  return {
    ...{ queue, claimMin: batchSize, name: 'An email', keyOf: () => '' },
    limits: { max: batchSize, maxPerKey: batchSize, maxPerPage: batchSize },
    logged: ({ id }) => ({ emailId: id }),
    async open(rows) {
      const composeOf = await route.open(rows);
      const failures: Failure<Row>[] = [];
      let left = rows.filter((row) => composeOf(row) !== undefined).length;
      return {
        async compose(row) {
          const compose = composeOf(row);
          return compose && (({ stopping, cut }) => inLane(stopping, () => send(deps, compose, cut)));
        },
        async record(row, attempted) {
          const { bounced, ...codes } = attempted.outcome;
          const { state } = attempted.next;
          if (state !== 'delivered') {
            const outcome = bounced ? 'bounced' : state === 'parked' ? 'parked' : 'retried';
            failures.push({ row, outcome, ...codes });
          }
          left -= 1;
          if (left === 0 && failures.length > 0) route.logFailures(failures);
          await (state === 'delivered' ? storeDelivered(row) : storeFailure(row, attempted));
          return {};
        },
      };
    },
  };
}

/** Composes a message and sends it. Rejects only when `cut` is aborted. */
async function send(
  { smtp, sendTimeoutMs }: MailDeps,
  compose: Compose,
  cut: AbortSignal,
): Promise<MailOutcome> {
  const error = () => new Error('The SMTP server took too long.');
  const deadline = startDeadline(sendTimeoutMs, cut, error);
  try {
    const message = compose();
    if ('refused' in message) return { error: message.refused, mayRepeat: false, bounced: false };
    await smtp.send(message, deadline.signal);
    return { error: null, mayRepeat: false, bounced: false };
  } catch (failed) {
    if (cut.aborted) throw failed;
    const { bounced, reason } = judgeFailure(failed);
    const { code, responseCode } = failed as { code?: string; responseCode?: number };
    return { error: reason, mayRepeat: !bounced, bounced, code, responseCode };
  } finally {
    deadline.end();
  }
}

type InLane = <Result>(stopping: AbortSignal, work: () => Promise<Result>) => Promise<Result | undefined>;

/**
 * Returns a function that waits for a lane and then works; it resolves to `undefined` when `stopping` is aborted before.
 * Lanes are staggered: composing eight messages at once would hold up requests for as long.
 */
function createLanes(count: number): InLane {
  const lanes = createLimiter<'smtp'>({ maxPerKey: count });
  let freeAt = 0;
  return async (stopping, work) => {
    const leave = await lanes.take('smtp', stopping).catch(() => undefined);
    if (leave === undefined) return undefined;
    const now = performance.now();
    const startAt = Math.max(now, freeAt);
    freeAt = startAt + messageMs / count;
    if (startAt > now) await sleep(startAt - now);
    const turn = sleep(messageMs);
    try {
      return stopping.aborted ? undefined : await work();
    } finally {
      turn.then(leave);
    }
  };
}

/**
 * Returns a function that stores rows together: rows that come during one statement share the next. Rows whose statement
 * failed wait for the next one, which follows after a pause, because an email whose row is not stored is sent again. The
 * promise rejects after the last pause; the newest 1,000 rows wait for the next call even then.
 */
function together<Row>(store: (rows: readonly Row[]) => Promise<unknown>): (row: Row) => Promise<void> {
  const waiting: Row[] = [];
  let storing: Promise<void> | undefined;

  async function storeWaiting(): Promise<void> {
    const pauses = [...storePausesMs];
    try {
      while (waiting.length > 0) {
        const rows = [...waiting];
        try {
          await store(rows);
          waiting.splice(0, rows.length);
        } catch (error) {
          const pauseMs = pauses.shift();
          if (pauseMs === undefined) throw error;
          await sleep(pauseMs);
        }
      }
    } finally {
      waiting.splice(0, Math.max(0, waiting.length - waitingMax));
      storing = undefined;
    }
  }

  return (row) => {
    waiting.push(row);
    storing ??= storeWaiting();
    return storing;
  };
}
