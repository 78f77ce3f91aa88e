import { subscriberLimits } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';

const chunkSize = 1_000;

/**
 * Forgets the addresses that nobody confirmed some days after they were last asked for, and those that
 * unsubscribed as long ago; suppressions stay. Answers how many.
 */
export async function forgetUnconfirmedSubscribers({
  sql,
  clock,
}: {
  sql: Sql;
  clock: Clock;
}): Promise<number> {
  const before = new Date(clock.now() - subscriberLimits.unconfirmedDays * 24 * 3_600_000);
  for (let forgotten = 0; ; ) {
    const { count } = await sql`
      delete from subscribers where confirmed_at is null and id in (
        select id from subscribers where confirmed_at is null and requested_at < ${before} limit ${chunkSize})`;
    forgotten += count;
    if (count < chunkSize) return forgotten;
  }
}
