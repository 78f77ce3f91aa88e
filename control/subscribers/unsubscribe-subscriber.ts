import type { Clock } from '../../lib/clock.js';
import type { PageId, SubscriberId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Ends what the subscriber had confirmed and suppresses the address; links of confirmations sent before no
 * longer work. Once more does nothing, as for a subscriber that is no longer known.
 */
export async function unsubscribeSubscriber(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, subscriberId }: { pageId: PageId; subscriberId: SubscriberId },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const [subscriber] = await tx<{ email: string }[]>`
      update subscribers set confirmed_at = null, confirmation_sent_at = null
      where id = ${subscriberId} and page_id = ${pageId} returning email`;
    if (subscriber === undefined) return;
    await tx`
      insert into suppressions (page_id, email, reason, created_at)
      values (${pageId}, ${subscriber.email}, 'unsubscribed', ${new Date(clock.now())})
      on conflict do nothing`;
  });
}
