import { minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, QueryLimits, Sql, Transaction } from '../../sql/open-postgres.js';

/** A process that falls silent keeps others from copying for so long; longer than an insert into ClickHouse may take. */
const silentMsMax = 10_000;
const copyingLimits: QueryLimits = { queryTimeoutMs: 5_000, transactionTimeoutMs: 15_000 };
/** Whoever waits for a copy waits longer than one may take; the limit of the server for statements is shorter. */
const waitingMsMax = minuteMs;

const lockKey = (tx: Transaction): Fragment => tx`hashtextextended('copies of rows', 0)`;

/**
 * Runs `work` in a transaction, unless another instance has the lock under which rows are copied; returns `undefined` then. The
 * lock ends with the connection, and so at once when the process is killed.
 */
export function underCopyLock<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T | undefined> {
  return inTransaction<T | undefined>(
    sql,
    async (tx) => {
      await tx`select set_config('idle_in_transaction_session_timeout', ${`${silentMsMax}ms`}, true)`;
      const [lock] = await tx<{ isTaken: boolean }[]>`
        select pg_try_advisory_xact_lock(${lockKey(tx)}) as "isTaken"`;
      return lock?.isTaken === true ? work(tx) : undefined;
    },
    copyingLimits,
  );
}

/**
 * Waits until whatever is being copied now has arrived, or was given up. A copy that begins later leaves out the pages that are
 * deleted now.
 */
export async function awaitCopies(sql: Sql): Promise<void> {
  await inTransaction(
    sql,
    async (tx) => {
      await tx`select set_config('statement_timeout', ${`${waitingMsMax}ms`}, true)`;
      await tx`select pg_advisory_xact_lock(${lockKey(tx)})`;
    },
    { queryTimeoutMs: waitingMsMax },
  );
}
