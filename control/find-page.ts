import type { Sql } from '../sql/open-postgres.js';
import type { Page } from './page.js';
import { selectPages } from './page-rows.js';

/** The page with this slug, or on this host name (in any case, without a port); undefined when there is none. */
export async function findPage(
  { sql }: { sql: Sql },
  by: { slug: string } | { hostname: string },
): Promise<Page | undefined> {
  const condition = 'slug' in by ? sql`p.slug = ${by.slug}` : sql`p.hostname = ${by.hostname.toLowerCase()}`;
  const [page] = await selectPages(sql, condition);
  return page;
}
