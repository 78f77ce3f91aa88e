import type { PageId } from '../contract/ids.js';
import type { Sql } from '../sql/open-postgres.js';

/** Names of the services of a page in one of its languages, by slug; where one has none in it, in the default language. */
export async function readServiceNames(
  { sql }: { sql: Sql },
  pageId: PageId,
  language: string,
): Promise<Record<string, string>> {
  const rows = await sql<{ slug: string; name: string }[]>`
    select m.slug,
      case when p.default_language = ${language} then m.name else coalesce(m.names ->> ${language}, m.name) end as name
    from monitors m join pages p on p.id = m.page_id
    where m.page_id = ${pageId}`;
  return Object.fromEntries(rows.map(({ slug, name }) => [slug, name]));
}
