import t from 'tap';
import type { Caller } from '../../../api/manage/caller.js';
import { checkPermission } from '../../../api/manage/check-permission.js';
import type { ManageBodyRoute, ManageRoute } from '../../../api/manage/manage-route.js';
import type { KeyAccess, PageRole } from '../../../contract/permissions.js';
import { type KeyId, newId, type PageId, type UserId, type UserSessionId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { makeRouteTable } from '../../support/route-table.js';

/** The permission of every route, and every kind of caller against every route, without stores. */
const shopId = newId<PageId>(0);
const elsewhereId = newId<PageId>(0);
const idOf = async (slug: string): Promise<PageId | undefined> => (slug === 'shop' ? shopId : undefined);

function person(roles: Record<string, PageRole>, isAdmin = false): Caller {
  const held = Object.entries(roles).map(([slug, role]) => {
    return [slug, { pageId: slug === 'shop' ? shopId : elsewhereId, role }] as const;
  });
  return {
    type: 'user',
    user: {
      ...{ sessionId: newId<UserSessionId>(0), userId: newId<UserId>(0), email: 'a@example.com', name: 'A' },
      ...{ language: null, hasPassword: true, hasTotp: false, isExtended: false },
      ...{ isAdmin, roles: new Map(held) },
    },
  };
}

const ofAnyKey = { keyId: newId<KeyId>(0), keyName: 'ci', expiresAt: null };

function manageKey(slug: string, access: KeyAccess | null): Caller {
  const grant = {
    ...{
      ...ofAnyKey,
      slug,
      pageId: slug === 'shop' ? shopId : elsewhereId,
      access,
      scope: 'manage' as const,
    },
    ...{ capabilities: new Set<never>(), databaseHealthEnabled: false },
  };
  return { type: 'key', grant };
}

const callers = {
  viewer: person({ shop: 'viewer' }),
  responder: person({ shop: 'responder' }),
  editor: person({ shop: 'editor' }),
  owner: person({ shop: 'owner' }),
  admin: person({}, true),
  'reading key': manageKey('shop', 'read'),
  'key of no access': manageKey('shop', null),
  'writing key': manageKey('shop', 'write'),
  'admin key': { type: 'key', grant: { ...ofAnyKey, scope: 'admin' } },
  'owner of another page': person({ elsewhere: 'owner' }),
  'person without a role': person({}),
  'key of another page': manageKey('elsewhere', 'write'),
} as const satisfies Record<string, Caller>;
type Name = keyof typeof callers;

const admins: readonly Name[] = ['admin', 'admin key'];
const owners: readonly Name[] = ['owner', ...admins];
const editors: readonly Name[] = ['editor', 'writing key', ...owners];
const responders: readonly Name[] = ['responder', ...editors];
const readers: readonly Name[] = ['viewer', 'reading key', 'key of no access', ...responders];

/** Who may do what; written out, because the tables of the service are what is tested. */
const holders: Readonly<Record<ManageRoute['permission'], readonly Name[]>> = {
  'telemetry.read': readers,
  'incidents.write': responders,
  'alerts.acknowledge': responders,
  'monitors.write': editors,
  'page.write': editors,
  'notifications.write': editors,
  'rules.write': editors,
  'connections.write': editors,
  'keys.write': ['writing key', ...owners],
  'store.write': ['writing key', ...owners],
  'people.write': owners,
  'audit.read': owners,
  'page.delete': owners,
  'installation.write': admins,
  any: Object.keys(callers) as Name[],
  user: (Object.keys(callers) as Name[]).filter((name) => callers[name].type === 'user'),
};

/** The permission of what is below a page, by the first part of its path: to read it, and to change it. */
const partsOfPage: Readonly<Record<string, readonly [ManageRoute['permission'], ManageRoute['permission']]>> =
  {
    '': ['telemetry.read', 'page.write'],
    logo: ['telemetry.read', 'page.write'],
    preview: ['telemetry.read', 'page.write'],
    hostname: ['telemetry.read', 'page.write'],
    groups: ['telemetry.read', 'page.write'],
    'monitor-order': ['telemetry.read', 'page.write'],
    badge: ['telemetry.read', 'telemetry.read'],
    audience: ['telemetry.read', 'telemetry.read'],
    overview: ['telemetry.read', 'telemetry.read'],
    analytics: ['telemetry.read', 'telemetry.read'],
    // The routes themselves ask for more where a query is shared.
    queries: ['telemetry.read', 'telemetry.read'],
    boards: ['telemetry.read', 'page.write'],
    monitors: ['telemetry.read', 'monitors.write'],
    reporters: ['telemetry.read', 'monitors.write'],
    deployments: ['telemetry.read', 'page.write'],
    objectives: ['telemetry.read', 'rules.write'],
    reports: ['telemetry.read', 'telemetry.read'],
    'report-settings': ['notifications.write', 'notifications.write'],
    incidents: ['telemetry.read', 'incidents.write'],
    templates: ['telemetry.read', 'incidents.write'],
    'maintenance-series': ['telemetry.read', 'incidents.write'],
    'maintenance-occurrences': ['telemetry.read', 'incidents.write'],
    subscribers: ['notifications.write', 'notifications.write'],
    emails: ['notifications.write', 'notifications.write'],
    'chat-subscribers': ['notifications.write', 'notifications.write'],
    webhooks: ['notifications.write', 'notifications.write'],
    channels: ['notifications.write', 'notifications.write'],
    'alert-rule': ['notifications.write', 'notifications.write'],
    rules: ['telemetry.read', 'rules.write'],
    alerts: ['telemetry.read', 'alerts.acknowledge'],
    'alert-counts': ['telemetry.read', 'telemetry.read'],
    silences: ['telemetry.read', 'alerts.acknowledge'],
    policies: ['telemetry.read', 'notifications.write'],
    schedules: ['telemetry.read', 'notifications.write'],
    'on-call': ['telemetry.read', 'notifications.write'],
    connections: ['connections.write', 'connections.write'],
    'event-store': ['store.write', 'store.write'],
    'figure-export': ['store.write', 'store.write'],
    keys: ['keys.write', 'keys.write'],
    people: ['people.write', 'people.write'],
    invitations: ['people.write', 'people.write'],
    audit: ['audit.read', 'audit.read'],
  };

/** Routes that ask for something else than their neighbours. */
const others: Readonly<Record<string, ManageRoute['permission']>> = {
  'GET /api/v1/pages': 'any',
  'GET /api/v1/me': 'any',
  'PATCH /api/v1/me': 'user',
  'POST /api/v1/me/password': 'user',
  'POST /api/v1/me/totp': 'user',
  'DELETE /api/v1/me/totp': 'user',
  'GET /api/v1/me/contact-ways': 'user',
  'POST /api/v1/me/contact-ways': 'user',
  'GET /api/v1/me/contact-ways/:id': 'user',
  'PATCH /api/v1/me/contact-ways/:id': 'user',
  'DELETE /api/v1/me/contact-ways/:id': 'user',
  'POST /api/v1/me/contact-ways/:id/test': 'user',
  'POST /api/v1/me/contact-ways/:id/confirm': 'user',
  'DELETE /api/v1/session': 'user',
  'GET /api/v1/sessions': 'user',
  'DELETE /api/v1/sessions/:id': 'user',
  'DELETE /api/v1/pages/:page': 'page.delete',
  'GET /api/v1/pages/:page/webhooks/:id/deliveries': 'telemetry.read',
  // A rule is tried on figures that every reader may see, and changes nothing.
  'POST /api/v1/pages/:page/rules/preview': 'telemetry.read',
  // Responders stand in for each other, and see who can.
  'GET /api/v1/pages/:page/on-call/people': 'alerts.acknowledge',
  'POST /api/v1/pages/:page/schedules/:slug/overrides': 'alerts.acknowledge',
  'DELETE /api/v1/pages/:page/schedules/:slug/overrides/:id': 'alerts.acknowledge',
};

const managed = makeRouteTable().routes.filter(
  (route): route is ManageRoute | ManageBodyRoute => 'permission' in route,
);
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

function expectedPermission(route: { method: string; path: string }): string {
  const own = others[nameOf(route)];
  if (own !== undefined) return own;
  const [, part] = /^\/api\/v1\/pages\/:page(?:$|\/)([^/]*)/.exec(route.path) ?? [];
  if (part === undefined) return 'installation.write';
  return partsOfPage[part]?.[route.method === 'GET' ? 0 : 1] ?? 'nothing: add its part of the page';
}

t.test('every route declares the permission of its part of the page', async (t) => {
  t.ok(managed.length > 100, `${managed.length} routes`);
  const wrong = managed.flatMap((route) => {
    const expected = expectedPermission(route);
    return route.permission === expected ? [] : [`${nameOf(route)}: ${route.permission}, not ${expected}`];
  });
  t.strictSame(wrong, []);
});

/** Returns `page` or `none` when the caller may use the route, and else the kind of the error. */
async function outcome(caller: Caller, route: ManageRoute, slug: string): Promise<string> {
  try {
    const page = await checkPermission(caller, route, slug, idOf);
    if (page === undefined) return 'none';
    return page.id === shopId && page.slug === 'shop' ? 'page' : 'another page';
  } catch (error) {
    if (error instanceof ServiceError) return error.kind;
    throw error;
  }
}

t.test('every caller may use the routes of its permissions, and no other', async (t) => {
  const wrong: string[] = [];
  for (const route of managed) {
    const isOfPage = route.path.startsWith('/api/v1/pages/:page');
    for (const name of Object.keys(callers) as Name[]) {
      const mayUse = holders[route.permission].includes(name);
      const refused = isOfPage && !readers.includes(name) ? 'notFound' : 'notAllowed';
      const expected = mayUse ? (isOfPage ? 'page' : 'none') : refused;
      const found = await outcome(callers[name], route, 'shop');
      if (found !== expected) wrong.push(`${nameOf(route)}, ${name}: ${found}, not ${expected}`);
      if (!isOfPage) continue;
      const nowhere = await outcome(callers[name], route, 'none');
      if (nowhere !== 'notFound') wrong.push(`${nameOf(route)} of no page, ${name}: ${nowhere}`);
    }
  }
  t.strictSame(wrong, []);
});
