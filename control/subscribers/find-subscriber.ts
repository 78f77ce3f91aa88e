import type { PageId, SubscriberId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Whose subscriber it is, and in which language it reads; undefined when there is none, or no longer. */
export async function loadSubscriber(
  { sql }: { sql: Sql },
  subscriberId: SubscriberId,
): Promise<{ pageId: PageId; language: string } | undefined> {
  const [row] = await sql<{ pageId: PageId; language: string }[]>`
    select page_id as "pageId", language from subscribers where id = ${subscriberId}`;
  return row;
}
