import { setImmediate as nextTurn } from 'node:timers/promises';
import type postgres from 'postgres';
import { QueryTimeout } from '../query-timeout.js';
import type { Connection } from './connection.js';
import { type DriverQuery, interceptQuery } from './driver-query.js';
import type { Pool } from './pool.js';

type DriverTransaction = postgres.TransactionSql<{ bigint: bigint }>;

/** Bounds of a transaction in milliseconds; see QueryLimits. */
type Limits = { queryTimeoutMs: number; transactionTimeoutMs?: number };

/**
 * Runs `work` in a transaction, which is committed when `work` resolves and rolled back when it rejects.
 *
 * It takes the place of the `begin` of postgres 3.4.9, which crashes the process when the connection of a transaction
 * closes: the driver sends the ROLLBACK, or the next query, to a socket that is gone, and nothing can catch that error.
 * Once the connection is lost, this function therefore refuses further queries of `work`, and keeps the outcome of
 * `work` from the driver, whose own promise is rejected already. `work` may go on while another transaction has the
 * connection.
 *
 * @throws QueryTimeout when no connection is free in time, or a statement (BEGIN, COMMIT and ROLLBACK included) or the
 *   whole transaction takes longer than the limits: the connection is cut then, so the server rolls back, unless it had
 *   the COMMIT.
 */
export async function runTransaction<T>(
  pool: Pool,
  { queryTimeoutMs, transactionTimeoutMs = Number.POSITIVE_INFINITY }: Limits,
  work: (tx: DriverTransaction) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + transactionTimeoutMs;
  const leftMs = (): number => Math.max(0, Math.min(queryTimeoutMs, endsAt - performance.now()));
  const connection = await pool.acquire(leftMs());
  const { outcome, ended } = begin(connection, work, leftMs);
  void ended.then(() => pool.release(connection));
  return outcome;
}

/** `outcome` settles in time; `ended` resolves when the connection can be used again. */
function begin<T>(
  connection: Connection,
  work: (tx: DriverTransaction) => Promise<T>,
  leftMs: () => number,
): { outcome: Promise<T>; ended: Promise<void> } {
  let lost: unknown;
  /** The connection may belong to another caller. */
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (error: unknown) => void = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });

  /** Why no further statement may be sent; `undefined` while one may. */
  function reason(): unknown {
    if (lost !== undefined || (!isOver && connection.isOpen)) return lost;
    return new QueryTimeout('The connection of a transaction was lost.');
  }

  function abandon(query?: DriverQuery): void {
    if (isOver) return;
    lost ??= new QueryTimeout('PostgreSQL did not complete a transaction in time.');
    giveUp(lost);
    connection.abandon(query);
  }
  /** Bounds a statement of the driver itself. */
  function limit(): void {
    clearTimeout(timer);
    timer = setTimeout(abandon, leftMs());
  }

  async function run(): Promise<{ value: T }> {
    await connection.settled();
    limit();
    return connection.client.begin(async (tx) => {
      clearTimeout(timer);
      try {
        if (lost !== undefined) throw lost;
        const value = await work(guard(tx, reason, leftMs, abandon));
        await nextTurn();
        if (reason() !== undefined) return await never();
        limit();
        return { value };
      } catch (error) {
        // The query fails before the promise of the driver, which is rejected when the connection is the reason.
        await nextTurn();
        if (isOver || !connection.isOpen) return await never();
        limit();
        throw error;
      }
    });
  }

  const begun = run();
  const settle = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  begun.then(settle, (error: unknown) => {
    settle();
    lost ??= error;
  });
  const outcome = Promise.race([begun, givenUp]).then(({ value }) => value);
  const ended = begun.then(ignore, ignore).then(() => connection.settled());
  return { outcome, ended };
}

function ignore(): void {}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Refuses queries once `reason` gives one, and calls `abandon` with a query that takes too long. */
function guard(
  tx: DriverTransaction,
  reason: () => unknown,
  leftMs: () => number,
  abandon: (query: DriverQuery) => void,
): DriverTransaction {
  const watch = <Query>(query: Query): Query =>
    interceptQuery(query, (asked, proceed) => {
      const error = reason();
      if (error !== undefined) {
        asked.reject(error);
        return;
      }
      const timer = setTimeout(() => {
        abandon(asked);
        asked.reject(reason());
      }, leftMs());
      const stop = (): void => clearTimeout(timer);
      asked.then(stop, stop);
      proceed(asked);
    });
  const assertNotLost = (): void => {
    const error = reason();
    if (error !== undefined) throw error;
  };
  return new Proxy(tx, {
    apply(target, self, args) {
      assertNotLost();
      return watch(Reflect.apply(target, self, args));
    },
    get(target, name) {
      if (name !== 'unsafe') return Reflect.get(target, name);
      return (...args: unknown[]) => {
        assertNotLost();
        return watch(Reflect.apply(target.unsafe, target, args));
      };
    },
  });
}
