import type { Route } from '../../../../api/route.js';
import {
  type Permission,
  pageRoles,
  permissionsOfAdmin,
  permissionsOfKey,
  permissionsOfRole,
} from '../../../../contract/permissions.js';
import { type Scope, scopes } from '../../../../contract/scopes.js';
import { createKey, revokeKey } from '../../../../control/keys/index.js';
import { loadPageId } from '../../../../control/pages/index.js';
import type { UserId } from '../../../../lib/ids.js';
import { minuteMs } from '../../../../lib/times.js';
import type { Sql } from '../../../../sql/open-postgres.js';
import { testActor } from '../../../support/actor.js';
import type { MovingClock } from '../../../support/moving-clock.js';
import { giveRole, makeUser, signIn } from '../../../support/people.js';

/** Somebody who tries every route of one page, `slug`. */
export type Caller = {
  name: string;
  /** The id of the user, for people who can sign in. */
  userId?: UserId;
  /** The proof of who calls; a session is a new one each time, since some routes end it. */
  credentials(route: Route): Promise<Record<string, string>>;
  /** The answer that the tables of scopes and permissions demand. */
  expect(route: Route): Expectation;
};

/** `success`: as somebody gets it who may do everything. */
export type Expectation = 'success' | 401 | 403 | 404;

type Deps = { sql: Sql; clock: MovingClock };

/** One caller for each way to be somebody, and to be nobody. Moves the clock, so that keys expire. */
export async function makeCallers(deps: Deps, slug: string, otherSlug: string): Promise<Caller[]> {
  const keys = await Promise.all(
    scopes.flatMap((scope) =>
      (scope === 'manage' ? (['read', 'write'] as const) : [undefined]).map(async (access) => {
        const name = access === undefined ? `${scope} key` : `${scope} key that may ${access}`;
        const key = await keyOf(deps, slug, scope, access);
        return ofKey(name, slug, { scope, ...(access !== undefined && { access }) }, () => key);
      }),
    ),
  );
  const gone = await Promise.all(
    (['expired', 'revoked'] as const).map(async (state) => {
      const entries = scopes.map(async (scope) => [scope, await goneKey(deps, slug, scope, state)] as const);
      const held = new Map(await Promise.all(entries));
      return nobody(`${state} key`, (route) => ({
        authorization: `Bearer ${held.get(scopeOf(route))}`,
      }));
    }),
  );
  deps.clock.advance(2 * minuteMs);
  return [
    nobody('no credentials', () => ({})),
    ...(await Promise.all(
      pageRoles.map(async (role) => {
        const { id } = await makeUser(deps);
        await giveRole(deps, { userId: id, slug, role });
        return ofPerson(deps, role, id, permissionsOfRole[role], new Set());
      }),
    )),
    ofPerson(
      deps,
      'admin',
      (await makeUser(deps, { isAdmin: true })).id,
      permissionsOfAdmin,
      permissionsOfAdmin,
    ),
    ...(await strangers(deps, otherSlug)),
    ...keys,
    ...gone,
  ];
}

async function strangers(deps: Deps, otherSlug: string): Promise<Caller[]> {
  const owner = await makeUser(deps);
  await giveRole(deps, { userId: owner.id, slug: otherSlug, role: 'owner' });
  const disabled = await makeUser(deps, { isAdmin: true });
  await deps.sql`update users set disabled_at = ${new Date(deps.clock.now())} where id = ${disabled.id}`;
  const key = await keyOf(deps, otherSlug, 'manage', 'write');
  return [
    ofPerson(deps, "another page's owner", owner.id, new Set(), new Set()),
    ofPerson(deps, 'person without a role', (await makeUser(deps)).id, new Set(), new Set()),
    ofKey("another page's manage key", 'another', { scope: 'manage', access: 'write' }, () => key),
    {
      ...nobody('disabled admin', () => ({})),
      credentials: async () => ({ ...(await signIn(deps, disabled.id)) }),
    },
  ];
}

function nobody(name: string, credentials: (route: Route) => Record<string, string>): Caller {
  return {
    name,
    credentials: async (route) => credentials(route),
    expect: (route) => (isOpen(route) ? 'success' : 401),
  };
}

function ofPerson(
  deps: Deps,
  name: string,
  userId: UserId,
  onPage: ReadonlySet<Permission>,
  onInstallation: ReadonlySet<Permission>,
): Caller {
  return {
    ...{ name, userId },
    credentials: async () => ({ ...(await signIn(deps, userId)) }),
    expect(route) {
      if (isOpen(route)) return 'success';
      // A session is no key.
      if (!('permission' in route)) return 401;
      return allowed(route, onPage, onInstallation, true);
    },
  };
}

function ofKey(
  name: string,
  page: string,
  { scope, access = 'read' }: { scope: Scope; access?: 'read' | 'write' },
  key: () => string,
): Caller {
  return {
    name,
    credentials: async () => ({ authorization: `Bearer ${key()}` }),
    expect(route) {
      if (isOpen(route)) return 'success';
      if (!('permission' in route)) return route.access?.scope === scope ? 'success' : 403;
      if (scope === 'admin') return allowed(route, permissionsOfAdmin, permissionsOfAdmin, false);
      if (scope !== 'manage') return 403;
      const held = page === 'another' ? new Set<Permission>() : permissionsOfKey[access];
      return allowed(route, held, new Set(), false);
    },
  };
}

function allowed(
  { path, permission }: Extract<Route, { permission: unknown }>,
  onPage: ReadonlySet<Permission>,
  onInstallation: ReadonlySet<Permission>,
  isPerson: boolean,
): Expectation {
  const isOfPage = path.startsWith('/api/v1/pages/:page');
  if (isOfPage && !onPage.has('telemetry.read')) return 404;
  if (permission === 'any') return 'success';
  if (permission === 'user') return isPerson ? 'success' : 403;
  return (isOfPage ? onPage : onInstallation).has(permission) ? 'success' : 403;
}

export function isOpen(route: Route): boolean {
  return !('permission' in route) && route.access === undefined;
}

/** The scope of a key that a route takes. */
function scopeOf(route: Route): Scope {
  return 'permission' in route ? 'manage' : (route.access?.scope ?? 'read');
}

async function keyOf(
  { sql, clock }: Deps,
  slug: string,
  scope: Scope,
  access?: 'read' | 'write',
  expiresAt?: Date,
): Promise<string> {
  const pageId = scope === 'admin' ? null : await loadPageId(sql, slug);
  const input = { pageId, scope, ...(scope === 'manage' && access !== undefined && { access }), expiresAt };
  return (await createKey({ sql, clock, by: testActor }, input)).key;
}

async function goneKey(
  deps: Deps,
  slug: string,
  scope: Scope,
  state: 'expired' | 'revoked',
): Promise<string> {
  const access = scope === 'manage' ? ('write' as const) : undefined;
  if (state === 'expired') {
    return keyOf(deps, slug, scope, access, new Date(deps.clock.now() + minuteMs));
  }
  const pageId = scope === 'admin' ? null : await loadPageId(deps.sql, slug);
  const by = { ...deps, by: testActor };
  const { id, key } = await createKey(by, { pageId, scope, ...(access !== undefined && { access }) });
  await revokeKey(by, { id });
  return key;
}
