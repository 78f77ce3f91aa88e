import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Whether a page has received an event: its endpoint is registered before the answer. Endpoints are only ever deleted on
 * a page that has had thousands of them.
 */
export async function hasReceivedEvents({ sql }: { sql: Sql }, pageId: PageId): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (select 1 from endpoints where page_id = ${pageId}) as has`;
  return row?.has ?? false;
}
