import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

/** Stops the deliveries to every webhook of a page that is deleted. */
export async function disablePageWebhooks(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await tx`
    update webhooks set disabled_at = ${new Date(now)}, disabled_reason = 'The page was deleted.'
    where page_id = ${pageId} and disabled_at is null`;
}
