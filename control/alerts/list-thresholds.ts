import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Lists the thresholds of the rules of pages, in percent; a page without a rule is not among them. */
export async function listThresholds(
  { sql }: { sql: Sql },
  pageIds: readonly PageId[],
): Promise<ReadonlyMap<PageId, number>> {
  const rules = await sql<{ pageId: PageId; percent: number }[]>`
    select page_id as "pageId", threshold_percent as percent from alert_rules
    where page_id = any (${[...pageIds]}::uuid[])`;
  return new Map(rules.map(({ pageId, percent }) => [pageId, percent]));
}
