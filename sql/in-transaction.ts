import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql, Transaction } from './open-postgres.js';

/**
 * Runs `work` in a transaction, which is committed when `work` resolves and rolled back when it rejects.
 *
 * It takes the place of `sql.begin`, because postgres 3.4.9 crashes the process when the connection of a transaction
 * closes: the driver sends the ROLLBACK, or the next query, to a socket that is gone, and nothing can catch that error.
 * Once the connection is lost, this function therefore refuses further queries of `work`, and keeps the outcome of
 * `work` from the driver, whose own promise is rejected already.
 */
export async function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let lost: unknown;
  const begun = sql.begin(async (tx) => {
    const guarded = refuseWhen(tx, () => lost);
    try {
      const value = await work(guarded);
      await nextTurn();
      return lost === undefined ? { value } : await never();
    } catch (error) {
      // The query fails before the promise of the driver, which shows whether the connection is the reason.
      await nextTurn();
      if (lost !== undefined) return await never();
      throw error;
    }
  });
  begun.catch((error: unknown) => {
    lost = error;
  });
  return (await begun).value;
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function refuseWhen(tx: Transaction, reason: () => unknown): Transaction {
  return new Proxy(tx, {
    apply(target, self, args) {
      const error = reason();
      if (error !== undefined) throw error;
      return Reflect.apply(target, self, args);
    },
  });
}
