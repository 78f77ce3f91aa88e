import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Publishes the response times of a page from that day of UTC on, where it did so only from a later one. */
export async function publishResponseTimes(
  { sql }: { sql: Sql },
  { pageId, since }: { pageId: PageId; since: Date },
): Promise<void> {
  const day = since.toISOString().slice(0, 10);
  await sql`
    update pages set response_times_since = ${day}::text::date
    where id = ${pageId} and response_times_since > ${day}::text::date`;
}
