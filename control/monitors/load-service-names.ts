import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Names of the services of a page by slug, in the language where they have one, else in the default language. */
export async function readServiceNames(
  { sql }: { sql: Sql },
  pageId: PageId,
  language: string,
): Promise<Record<string, string>> {
  const rows = await sql<{ slug: string; name: string }[]>`
    select slug, coalesce(names ->> ${language}, name) as name from monitors where page_id = ${pageId}`;
  return Object.fromEntries(rows.map(({ slug, name }) => [slug, name]));
}
