import { type QueryLimits, type Sql, type Transaction, withLimits } from './open-postgres.js';

/**
 * Runs `work` in a transaction, which is committed when `work` resolves and rolled back when it rejects. `limits` take
 * the place of the limits of the pool.
 *
 * @throws what `work` rejects with; QueryTimeout when a statement or the whole transaction takes too long: the
 *   transaction is rolled back then, unless the COMMIT was on its way; the errors of the driver.
 */
export async function inTransaction<T>(
  sql: Sql,
  work: (tx: Transaction) => Promise<T>,
  limits?: QueryLimits,
): Promise<T> {
  const limited = limits === undefined ? sql : withLimits(sql, limits);
  // The driver types `begin` as awaiting the elements of an array.
  const { value } = await limited.begin(async (tx) => ({ value: await work(tx) }));
  return value;
}

/**
 * Ends a transaction whose process falls silent. A machine that dies leaves its transaction open, and with it its locks,
 * for two hours: until PostgreSQL finds the connection dead; one that is suspended keeps them for as long. This limit
 * ends it before the transactions that wait for it time out. The embedded server, which is on the same machine, ignores
 * it.
 */
export async function endWhenIdle(tx: Transaction): Promise<void> {
  await tx`set local idle_in_transaction_session_timeout = '3s'`;
}
