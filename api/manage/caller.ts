import type { IncomingMessage } from 'node:http';
import {
  type Permission,
  permissionsOfAdmin,
  permissionsOfKey,
  permissionsOfRole,
} from '../../contract/permissions.js';
import type { Actor } from '../../control/audit/index.js';
import type { AdminGrant, AnyGrant, KeyCache, KeyGrant } from '../../control/keys/index.js';
import type { SignedIn } from '../../control/people/index.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { bearerKey, hintOnScope } from '../key-hints.js';
import type { SessionCookies } from './session-cookie.js';

/**
 * Who calls the management API: a person with a session, a key of a page, a key of the installation, or the operator at
 * the command line of its server, who may do what a key of the installation may.
 */
export type Caller =
  | { type: 'user'; user: SignedIn }
  | { type: 'key'; grant: KeyGrant | AdminGrant }
  | { type: 'operator'; actor: Actor };

export type CallerDeps = {
  keys: Pick<KeyCache, 'find'>;
  cookies: SessionCookies;
  findSignedIn(token: string): Promise<SignedIn | undefined>;
};

/**
 * Finds out who calls. A key in the Authorization header counts, whatever cookie comes with it.
 *
 * @throws ServiceError `signInRequired` without valid credentials, `wrongScope` for a key with another scope,
 *   `storeUnavailable` when the credentials cannot be looked up
 */
export async function findCaller(deps: CallerDeps, req: IncomingMessage): Promise<Caller> {
  if (req.headers.authorization !== undefined) {
    const key = bearerKey(req.headers);
    const grant = key === undefined ? undefined : await deps.keys.find(key);
    if (grant === undefined) {
      throw new ServiceError('signInRequired', { message: 'Invalid, expired or revoked API key.' });
    }
    return { type: 'key', grant: refuseOtherScope(grant) };
  }
  const token = deps.cookies.read({ req });
  const user = token === undefined ? undefined : await deps.findSignedIn(token);
  if (user === undefined) throw new ServiceError('signInRequired');
  return { type: 'user', user };
}

function refuseOtherScope(grant: AnyGrant): KeyGrant | AdminGrant {
  if (grant.scope === 'manage' || grant.scope === 'admin') return grant;
  throw new ServiceError('wrongScope', {
    message: `This key has the scope ${grant.scope}; this route needs the scope manage.`,
    hint: hintOnScope('manage'),
  });
}

/** Whether the caller runs the installation. */
export function isAdmin(caller: Caller): boolean {
  if (caller.type === 'user') return caller.user.isAdmin;
  return caller.type === 'operator' || caller.grant.scope === 'admin';
}

/** The permissions of the caller where no page is concerned. */
export function installationPermissions(caller: Caller): ReadonlySet<Permission> {
  return isAdmin(caller) ? permissionsOfAdmin : new Set();
}

/** A page as its caller may reach it. */
export type ManagedPage = { id: PageId; slug: string; permissions: ReadonlySet<Permission> };

/**
 * The page with this slug and what the caller may do there; `undefined` when there is none, and when the caller may not
 * know of it. `findPageId` is asked for callers who may reach every page.
 */
export async function findManagedPage(
  caller: Caller,
  slug: string,
  findPageId: (slug: string) => Promise<PageId | undefined>,
): Promise<ManagedPage | undefined> {
  if (isAdmin(caller)) {
    const id = await findPageId(slug);
    return id && { id, slug, permissions: permissionsOfAdmin };
  }
  if (caller.type === 'user') {
    const held = caller.user.roles.get(slug);
    return held && { id: held.pageId, slug, permissions: permissionsOfRole[held.role] };
  }
  if (caller.type === 'operator' || caller.grant.scope === 'admin') return undefined;
  const { pageId: id, access } = caller.grant;
  return caller.grant.slug === slug
    ? { id, slug, permissions: permissionsOfKey[access ?? 'read'] }
    : undefined;
}

/** The caller as the audit log names it. */
export function actorOf(caller: Caller, address: string): Actor {
  if (caller.type === 'operator') return caller.actor;
  if (caller.type === 'user') {
    const { userId: id, email: name } = caller.user;
    return { type: 'user', id, name, address };
  }
  return { type: 'key', id: caller.grant.keyId, name: caller.grant.keyName, address };
}

/** The person who calls a route that is for people only. */
export function personOf(caller: Caller): SignedIn {
  if (caller.type === 'user') return caller.user;
  throw new Error('This route is for people who have signed in.');
}
