import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { type Caller, findManagedPage, installationPermissions, type ManagedPage } from './caller.js';
import type { ManageRoute } from './manage-route.js';

/** Says what the caller may read, and nothing of the page that was asked for. */
function hintOnPage(caller: Caller): string {
  return caller.type === 'key' && caller.grant.scope !== 'admin'
    ? `The slug in the path must be that of the page of this key: ${caller.grant.slug}.`
    : 'The path has no slug of a page that you may read. GET /api/v1/pages lists those.';
}

/**
 * Returns the page that the path of the route names, or `undefined` where it names none, when the caller may use the route.
 *
 * @throws ServiceError `notFound` for a page that the caller may not read or that does not exist, `notAllowed` without the
 *   permission of the route
 */
export async function checkPermission(
  caller: Caller,
  { path, permission }: Pick<ManageRoute, 'path' | 'permission'>,
  slug: string,
  findPageId: (slug: string) => Promise<PageId | undefined>,
): Promise<ManagedPage | undefined> {
  const isOfPage = path.startsWith('/api/v1/pages/:page');
  const page = isOfPage ? await findManagedPage(caller, slug, findPageId) : undefined;
  if (isOfPage && !page?.permissions.has('telemetry.read'))
    throw new ServiceError('notFound', { hint: hintOnPage(caller) });
  if (permission === 'user' && caller.type !== 'user') {
    throw new ServiceError('notAllowed', {
      message: 'This is for people who have signed in, and not for keys.',
    });
  }
  if (permission === 'any' || permission === 'user') return page;
  const held = page?.permissions ?? installationPermissions(caller);
  if (!held.has(permission)) {
    throw new ServiceError('notAllowed', {
      message: `Your ${caller.type === 'user' ? 'role' : 'key'} does not allow this; it needs the permission ${permission}.`,
    });
  }
  return page;
}
