import { permissions } from '../../contract/permissions.js';
import type { ManageBodyRoute, ManageRoute } from '../manage/manage-route.js';
import type { Route } from '../route.js';
import type { Json } from './schemas.js';

/** A route of the management API. */
export type Managed = ManageRoute | ManageBodyRoute;

export function isManaged(route: Route): route is Managed {
  return 'permission' in route;
}

/** How callers of the management API prove who they are. */
export const managementSecurity = {
  manage: { type: 'http', scheme: 'bearer', description: 'Manage key of a page, key_manage_…' },
  admin: { type: 'http', scheme: 'bearer', description: 'Key of the installation, key_admin_…' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-heartline',
    description:
      'Session of a person; `heartline-session` on plain HTTP. A change also needs `Sec-Fetch-Site: same-origin`, or `Origin` with the address of the service.',
  },
} satisfies Record<string, Json>;

/** Permissions that manage keys never have. */
const ofPeopleAlone = new Set<string>(['people.write', 'audit.read', 'page.delete', 'installation.write']);

/** The ways in, any of which does. */
export function securityOf({ permission }: Managed): Json[] {
  if (permission === 'user') return [{ session: [] }];
  const others = [{ admin: [] }, { session: [] }];
  return ofPeopleAlone.has(permission) ? others : [{ manage: [] }, ...others];
}

/** Who may call a route, in a sentence. */
export function describePermission({ permission }: Managed): string {
  if (permission === 'any') return 'Every caller may do this.';
  if (permission === 'user') return 'For people who have signed in, and not for keys.';
  return `Needs the permission \`${permission}\`.`;
}

/** The permission in a form for programs. */
export function permissionOf({ permission }: Managed): Json {
  return (permissions as readonly string[]).includes(permission) ? { 'x-permission': permission } : {};
}

/** Whether a route makes a change only when the caller's representation is current. */
export function takesIfMatch(route: Route): boolean {
  return isManaged(route) && route.errors.includes('preconditionFailed');
}

/** Whether a success of a route has an entity tag. */
export function hasETag(route: Route): boolean {
  return 304 in route.answers || takesIfMatch(route);
}
