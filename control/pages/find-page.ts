import type { PageId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import type { Page } from './page.js';
import { selectPages } from './page-rows.js';

/** The page with this id or slug, or on this host name (in any case, without a port); undefined when there is none. */
export async function findPage(
  { sql }: { sql: Sql },
  by: { id: PageId } | { slug: string } | { hostname: string },
): Promise<Page | undefined> {
  const [page] = await selectPages(sql, conditionOf(sql, by));
  return page;
}

function conditionOf(sql: Sql, by: Parameters<typeof findPage>[1]): Fragment {
  if ('id' in by) return sql`p.id = ${by.id}`;
  if ('slug' in by) return sql`p.slug = ${by.slug}`;
  return sql`p.hostname = ${by.hostname.toLowerCase()}`;
}
