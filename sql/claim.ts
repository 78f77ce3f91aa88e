import type { Fragment, Sql, Transaction } from './open-postgres.js';

/**
 * Rows of a queue are claimed for some time by setting a column such as `claimed_until`, in one statement that selects
 * them `for update skip locked`. An instance that dies keeps its rows until the time is over.
 *
 * Clocks of instances differ by less than this. A time that is further ahead was written before the clock was put back,
 * and does not count: a row would otherwise wait for as long as the clock was wrong.
 */
export const clocksDifferMsMax = 60_000;

/**
 * Condition for rows that no instance holds.
 *
 * @param column name of the column with the end of the claim; it may have an alias in front, as in `q.claimed_until`.
 * @param now milliseconds since the epoch.
 * @param leaseMs the longest time for which a row is claimed, in milliseconds.
 */
export function isUnclaimed(
  sql: Sql | Transaction,
  column: string,
  { now, leaseMs }: { now: number; leaseMs: number },
): Fragment {
  const name = sql(column);
  const impossible = new Date(now + leaseMs + clocksDifferMsMax);
  return sql`(${name} is null or ${name} <= ${new Date(now)} or ${name} > ${impossible})`;
}

/**
 * Condition for rows whose next attempt is due.
 *
 * @param column name of the column with the time of the next attempt.
 * @param pauseMsMax the longest pause between two attempts, in milliseconds.
 */
export function isDue(
  sql: Sql | Transaction,
  column: string,
  { now, pauseMsMax }: { now: number; pauseMsMax: number },
): Fragment {
  const name = sql(column);
  return sql`(${name} <= ${new Date(now)} or ${name} > ${new Date(now + pauseMsMax + clocksDifferMsMax)})`;
}
