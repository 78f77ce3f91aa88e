import type { Context } from 'koa';
import type { Page } from '../../control/pages/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { OriginParser } from '../request-origin.js';
import type { PublicCache } from './public-cache.js';

/**
 * The page on the host of a request, as PostgreSQL has it now. Where the path has a `:slug`, it must be the slug of that
 * page.
 *
 * @throws ServiceError `notFound`, whether no page has the slug or its page is on another host; `overloaded` when too
 *   many hosts are looked up; an Error that isPostgresLost() knows
 */
export async function loadPublicPage(
  { cache, parseOrigin }: { cache: PublicCache; parseOrigin: OriginParser },
  ctx: Context,
): Promise<Page> {
  const page = await cache.pages.byHostname(parseOrigin(ctx).hostname);
  const slug = ctx['params'].slug ?? page?.slug;
  if (page === undefined || page.slug !== slug) throw new ServiceError('notFound');
  return page;
}
