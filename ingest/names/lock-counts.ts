import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

/**
 * How many names the page has, with the page's lock on names held until the transaction ends: of two instances
 * that add names to one page, the second waits and counts the first one's.
 */
export async function lockCounts(
  tx: Transaction,
  pageId: PageId,
): Promise<{ endpoints: number; sources: number }> {
  await tx`INSERT INTO page_name_counts (page_id) VALUES (${pageId}) ON CONFLICT DO NOTHING`;
  const [counts] = await tx<{ endpoints: number; sources: number }[]>`
    SELECT endpoints, sources FROM page_name_counts WHERE page_id = ${pageId} FOR UPDATE`;
  if (counts === undefined) throw new Error('The row that was just made sure of is gone.');
  return counts;
}
