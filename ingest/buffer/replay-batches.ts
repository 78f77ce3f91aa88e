import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Lets the batches that were tried for the last time be tried again, now; answers how many they are. Their tokens
 * stay, so one that the store had all the same counts once.
 */
export async function replayBatches(
  { sql, clock }: { sql: Sql; clock: Clock },
  store: PageId | 'default',
): Promise<number> {
  return inTransaction(sql, async (tx) => {
    const replayed = await tx`
      update delivery_batches set exhausted_at = null, attempts = 0
      where store = ${store} and exhausted_at is not null`;
    await tx`
      update delivery_queues set failures = 0, next_attempt_at = ${new Date(clock.now())} where store = ${store}`;
    return replayed.count;
  });
}
