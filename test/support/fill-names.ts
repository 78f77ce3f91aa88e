import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

export type NameCounts = { endpoints?: number; services?: number; reporters?: number };

/** Adds this many names to a page that has none: /known/1 …, service-1 …, reporter-1 …. */
export async function fillNames(
  sql: Sql,
  pageId: PageId,
  { endpoints = 0, services = 0, reporters = 0 }: NameCounts,
): Promise<void> {
  await sql`
    INSERT INTO endpoints (page_id, endpoint, first_seen_at)
    SELECT ${pageId}, '/known/' || i, now() FROM generate_series(1, ${endpoints}::int) AS i`;
  for (const [kind, count] of [
    ['service', services],
    ['reporter', reporters],
  ] as const) {
    await sql`
      INSERT INTO sources (page_id, kind, source, name, first_seen_at)
      SELECT ${pageId}, ${kind}, ${kind}::text || '-' || i, 'known', now()
      FROM generate_series(1, ${count}::int) AS i`;
  }
  await sql`
    INSERT INTO page_name_counts (page_id, endpoints, sources)
    VALUES (${pageId}, ${endpoints}, ${services + reporters})`;
}

/** Returns the number of stored rows and the counts kept of them, which must agree. */
export async function countNames(sql: Sql, pageId: PageId) {
  const [counts] = await sql<
    { endpoints: number; sources: number; kept_endpoints: number; kept_sources: number }[]
  >`
    SELECT (SELECT count(*)::int FROM endpoints WHERE page_id = ${pageId}) AS endpoints,
           (SELECT count(*)::int FROM sources WHERE page_id = ${pageId}) AS sources,
           endpoints AS kept_endpoints, sources AS kept_sources
    FROM page_name_counts WHERE page_id = ${pageId}`;
  return counts;
}
