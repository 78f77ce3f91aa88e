import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql, Transaction } from './open-postgres.js';

/**
 * Runs `work` in a transaction: committed when it resolves, rolled back when it rejects.
 *
 * Instead of `sql.begin`, because postgres 3.4.9 crashes the process when a transaction's connection closes: it
 * sends the ROLLBACK, or whatever comes next, to a socket that is gone, and that is an error nobody can catch.
 * So once the connection is lost, nothing more is asked of it: a further query of `work` is refused here, and
 * the outcome of `work` is kept from the driver, whose own promise has been rejected already.
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
      // The query fails before the driver's promise does; the latter says whether the connection is the reason.
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
