import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Back to the installation's own store. What waits for the page's is discarded; answers how many batches that were,
 * undefined when the page had no store of its own.
 */
export async function resetEventStore({ sql }: { sql: Sql }, pageId: PageId): Promise<number | undefined> {
  return inTransaction(sql, async (tx) => {
    const removed = await tx`delete from event_stores where page_id = ${pageId}`;
    if (removed.count === 0) return undefined;
    const discarded = await tx`delete from delivery_batches where store = ${pageId}`;
    await tx`delete from delivery_queues where store = ${pageId}`;
    return discarded.count;
  });
}
