import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { waitUntil } from './wait-until.js';

/**
 * Starts `work` while a transaction holds the locks that `first` takes. Once the work waits for one of them, the transaction
 * takes the locks of `next` and commits. Work that holds one of the latter meanwhile makes a deadlock, and this function then
 * rejects. `work` needs a pool of its own.
 */
export async function besideTransaction<T>(
  sql: Sql,
  locks: { first(tx: Transaction): PromiseLike<unknown>; next(tx: Transaction): PromiseLike<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  const { working } = await inTransaction(sql, async (tx) => {
    await locks.first(tx);
    const working = work();
    // It is awaited after the transaction, which may be the one that fails.
    working.catch(() => {});
    await waitUntil('the work waits for a lock', async () => {
      const { count } = await sql`
        select 1 from pg_locks join pg_stat_activity using (pid)
        where not granted and datname = current_database()`;
      return count > 0;
    });
    await locks.next(tx);
    return { working };
  });
  return working;
}
