import type { Context } from 'koa';
import { findPage, type Page } from '../../control/pages/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { OriginParser } from '../request-origin.js';

/**
 * The page on the host of a request, from PostgreSQL. Where the path has a `:slug`, it must be the slug of that page.
 *
 * @throws ServiceError `notFound`, whether no page has the slug or its page is on another host
 */
export async function loadPublicPage(
  { sql, parseOrigin }: { sql: Sql; parseOrigin: OriginParser },
  ctx: Context,
): Promise<Page> {
  const page = await findPage({ sql }, { hostname: parseOrigin(ctx).hostname });
  const slug = ctx['params'].slug ?? page?.slug;
  if (page === undefined || page.slug !== slug) throw new ServiceError('notFound');
  return page;
}
