import type { Context } from 'koa';
import type { Capability } from '../contract/scopes.js';
import type { PageId } from '../lib/ids.js';
import type { Described } from './openapi/described.js';
import type { KeyRoute } from './route.js';

/**
 * A read of what only those who run a page may see. It has two routes: one for a read key, which is of one page, and one
 * of the management API, which names the page in its path.
 */
export type PageRead = Described & {
  method: 'GET';
  /** The path of the route for a read key. */
  path: `${typeof analyticsPath}/${string}`;
  capability: Capability;
  /** The page must have this switched on, as well as the account. */
  feature?: 'database-health';
  /** Called when the page has the capability and the feature. */
  read(ctx: Context, pageId: PageId): Promise<void>;
};

/** What the paths of reads with a read key begin with. */
export const analyticsPath = '/api/v1/analytics';

/** The route of a read for callers with a read key. */
export function withReadKey({ capability, feature, read, ...described }: PageRead): KeyRoute {
  return {
    ...described,
    access: { scope: 'read', capability, keyError: 'invalidKey', ...(feature !== undefined && { feature }) },
    handle: (ctx, { pageId }) => read(ctx, pageId),
  };
}
