import type { Context } from 'koa';
import { findPage } from '../../control/pages/find-page.js';
import type { Page } from '../../control/pages/page.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { OriginReader } from '../request-origin.js';

/**
 * The page of a public route: the one that the slug in the path and the host of the request both name.
 *
 * @throws ServiceError 404, the same when there is no such page and when it is on another host.
 */
export async function findPublicPage(
  { sql, readOrigin }: { sql: Sql; readOrigin: OriginReader },
  ctx: Context,
): Promise<Page> {
  const page = await findPage({ sql }, { slug: String(ctx['params'].slug) });
  if (page === undefined || page.hostname !== readOrigin(ctx).hostname) throw new ServiceError('notFound');
  return page;
}
