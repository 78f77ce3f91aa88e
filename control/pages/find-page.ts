import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import type { Page } from './page.js';
import { selectPages } from './page-rows.js';

/**
 * The page with this slug.
 *
 * @throws ServiceError `notFound` when no page has it.
 */
export async function loadPage(sql: Sql, slug: string): Promise<Page> {
  const page = await findPage({ sql }, { slug });
  if (page === undefined) throw noSuchPage(slug);
  return page;
}

/**
 * The id of the page with this slug.
 *
 * @throws ServiceError `notFound` when no page has it.
 */
export async function loadPageId(sql: Sql, slug: string): Promise<PageId> {
  const [page] = await sql<{ id: PageId }[]>`select id from pages where slug = ${slug}`;
  if (page === undefined) throw noSuchPage(slug);
  return page.id;
}

function noSuchPage(slug: string): ServiceError {
  return new ServiceError('notFound', { message: `There is no page with the slug "${slug}".` });
}

/**
 * The page with this id, this slug, or this host name (in any case, without a port). Returns `undefined` when there is
 * none.
 */
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
