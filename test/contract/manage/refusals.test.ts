import t from 'tap';
import type { Route } from '../../../api/route.js';
import type { Permission } from '../../../contract/permissions.js';
import { minuteMs } from '../../../lib/times.js';
import { examples } from '../../faults/routes/examples.js';
import { makeSite } from '../../faults/routes/site.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { signIn, signInAs } from '../../support/people.js';
import { requestAt } from '../../support/request-at.js';
import { makeRouteTable } from '../../support/route-table.js';
import { type Answer, startServiceOn } from '../../support/service.js';
import { openEmptyClickHouse, openStores } from '../../support/stores.js';
import { type Caller, makeCallers } from './calls/callers.js';
import {
  keyOfRoute,
  makeTargetOf,
  onNoPage,
  requestFor,
  requestOfNothing,
} from './calls/managed-requests.js';
import { choices, tidy } from './calls/particulars.js';
import { type Managed, type ManagedRequest, type Params, storeSettings, type World } from './calls/world.js';

/**
 * Every route refuses whoever may not use it, and changes nothing. test/api/manage/permissions.test.ts has the decision for
 * every caller and route; here one caller of each kind sends a request for something that exists.
 */
const clock = makeMovingClock();
const stores = await openStores(t);
const { sql } = stores;
const service = await startServiceOn(t, stores, {
  ...{ clock, roles: new Set(['api'] as const), trustedProxies: ['127.0.0.1'] },
  allowPrivateAddresses: true,
});
const deps = { sql, clock };
const site = await makeSite({ ...stores, clock }, 'shop');
await makePage(sql, { slug: 'elsewhere' });
const callers = await makeCallers(deps, site.slug, 'elsewhere');
const { routes } = makeRouteTable();
const managed = routes.filter((route): route is Managed => 'permission' in route);
const ofPage = managed.filter(({ path }) => path.startsWith('/api/v1/pages/:page'));

type Headers = Record<string, string>;

const send = (request: ManagedRequest, headers: Headers): Promise<Answer> =>
  service.post(request.path, request.body, {
    ...{ key: null, method: request.method },
    headers: { ...headers, 'content-type': request.mediaType ?? 'application/json' },
  });

const maker = await signInAs(deps, 'admin');
const world: World = {
  ...{ slug: site.slug, routes: managed, sql, self: maker.id },
  store: storeSettings((await openEmptyClickHouse(t)).clickhouseUrl),
  send: async (request) => send(request, { ...(await signIn(deps, maker.id)) }),
};
await tidy(world);
const targets = await makeTargets();
/** The headers of each caller; a key that is gone had the right scope. */
const credentials = new Map<string, Headers>();
for (const caller of callers) {
  const [route] = managed;
  if (route !== undefined) credentials.set(caller.name, await caller.credentials(route));
}
clock.advance(minuteMs + 1_000);

/** Keys that are gone have the scope of the route; everybody else sends the same for all. */
const credentialsFor = async (caller: Caller, route: Route): Promise<Headers> =>
  /^(?:expired|revoked) key$/.test(caller.name)
    ? caller.credentials(route)
    : (credentials.get(caller.name) ?? {});

/** One target for each resource, which serves all routes of the resource: who is refused does not take it away. */
async function makeTargets(): Promise<Map<string, Params>> {
  const made = new Map<string, Params>();
  for (const route of managed) {
    const resource = resourceOf(route);
    if (resource === undefined || made.has(resource)) continue;
    made.set(resource, await makeTargetOf(world, route));
  }
  return made;
}

/** The path of a route up to its last parameter; `undefined` without one below the page. */
function resourceOf({ path }: Managed): string | undefined {
  const below = path.replace('/api/v1/pages/:page', '');
  return /^.*\/:\w+/.exec(below)?.[0] === undefined ? undefined : /^.*\/:\w+/.exec(path)?.[0];
}

const requestOf = (route: Managed): ManagedRequest =>
  requestFor(world, route, targets.get(resourceOf(route) ?? '') ?? {});

const as = (request: ManagedRequest, caller: string): Promise<Answer> =>
  send(request, credentials.get(caller) ?? {});

/** Tables that count requests or note that an instance lives. */
const countedTables = ['instances', 'key_requests', 'user_requests'];
/** When a key was last used, and how long a session lasts after its last use. */
const columnsOfUse = (table: string): string[] =>
  table === 'user_sessions' ? ['last_seen_at', 'expires_at'] : ['last_used_at'];

/** A hash of the rows of every table, without what a refused request may change. */
async function readTables(): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`;
  const found: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !countedTables.includes(table.name))) {
    const [row] = await sql<{ hash: string | null }[]>`
      select md5(string_agg(rows.text, ' ' order by rows.text)) as hash
      from (select (to_jsonb(r) - ${columnsOfUse(name)}::text[])::text as text from ${sql(name)} r) rows`;
    found[name] = row?.hash ?? 'empty';
  }
  return found;
}

const before = await readTables();

/** All at once wait longer for the ten connections to PostgreSQL than a request may take on a busy machine. */
const atOnce = 40;

/** Tries all routes, many at once, and returns what is wrong, one sentence each. */
async function tryAll<R>(some: readonly R[], tryOne: (route: R) => Promise<string[]>): Promise<string[]> {
  const wrong: string[] = [];
  for (let at = 0; at < some.length; at += atOnce) {
    wrong.push(...(await Promise.all(some.slice(at, at + atOnce).map(tryOne))).flat());
  }
  return wrong;
}

const shown = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)}`;

t.test('a page does not exist for those of other pages', async (t) => {
  const strangers = ["another page's owner", "another page's manage key", 'person without a role'];
  for (const stranger of strangers) {
    const wrong = await tryAll(ofPage, async (route) => {
      const request = requestOf(route);
      const [answer, nowhere] = [
        await as(request, stranger),
        await as(onNoPage(request, site.slug), stranger),
      ];
      const isSame = answer.status === 404 && shown(answer) === shown(nowhere);
      return isSame ? [] : [`${keyOfRoute(route)}: ${shown(answer)}, and of no page ${shown(nowhere)}`];
    });
    t.strictSame(wrong, [], stranger);
    clock.advance(minuteMs + 1_000);
  }
});

t.test('what is of another page does not exist on the own one', async (t) => {
  const elsewhere = (request: ManagedRequest): ManagedRequest => ({
    ...request,
    path: request.path.replace('/pages/shop/', '/pages/elsewhere/'),
  });
  // A PUT with a slug or a name creates something of this name on the own page.
  const takesName = ({ method, path }: Managed): boolean =>
    method === 'PUT' && /(?:\/:slug|\/channels\/:id)$/.test(path);
  const inner = ofPage.filter(
    (route) => resourceOf(route) !== undefined && !takesName(route) && !choices.has(keyOfRoute(route)),
  );
  t.ok(inner.length > 50, `${inner.length} routes`);
  const wrong = await tryAll(inner, async (route) => {
    const found = await as(elsewhere(requestOf(route)), "another page's owner");
    const missing = await as(elsewhere(requestOfNothing(world, route)), "another page's owner");
    return found.status === missing.status
      ? []
      : [`${keyOfRoute(route)}: ${shown(found)}, not ${shown(missing)}`];
  });
  t.strictSame(wrong, []);
});

/** The caller with the most permissions among those who do not have this one. */
const lacking: Partial<Record<Managed['permission'], string>> = {
  ...{ 'alerts.acknowledge': 'viewer', 'rules.write': 'responder' },
  ...{ 'incidents.write': 'viewer', 'monitors.write': 'responder', 'page.write': 'responder' },
  ...{ 'notifications.write': 'responder', 'connections.write': 'responder', 'keys.write': 'editor' },
  ...{ 'store.write': 'editor', 'people.write': 'manage key that may write', 'audit.read': 'editor' },
  ...{ 'page.delete': 'manage key that may write', 'installation.write': 'owner', user: 'admin key' },
} satisfies Partial<Record<Permission | 'user', string>>;

t.test('403 for a role or a key without the permission', async (t) => {
  clock.advance(minuteMs + 1_000);
  const wrong = await tryAll(managed, async (route) => {
    const caller = lacking[route.permission];
    if (caller === undefined) return [];
    const answer = await as(requestOf(route), caller);
    return answer.status === 403 ? [] : [`${keyOfRoute(route)}, ${caller}: ${shown(answer)}`];
  });
  t.strictSame(wrong, []);
});

t.test('401 for nobody, and for keys and people that are gone; 403 for keys of other scopes', async (t) => {
  clock.advance(minuteMs + 1_000);
  const wrong = await tryAll(managed, async (route) => {
    const answer = await as(requestOf(route), 'no credentials');
    return answer.status === 401 ? [] : [`${keyOfRoute(route)}: ${shown(answer)}`];
  });
  const onePerPermission = [...new Map(managed.map((route) => [route.permission, route])).values()];
  for (const [caller, status] of [
    ...(['expired key', 'revoked key', 'disabled admin'] as const).map((name) => [name, 401] as const),
    ...(['ingest key', 'read key', 'incident key'] as const).map((name) => [name, 403] as const),
  ]) {
    const found = await tryAll(onePerPermission, async (route) => {
      const answer = await as(requestOf(route), caller);
      return answer.status === status ? [] : [`${keyOfRoute(route)}, ${caller}: ${shown(answer)}`];
    });
    wrong.push(...found);
  }
  t.strictSame(wrong, []);
});

t.test(
  'every route with a scope refuses nobody, people, keys that are gone and keys of other scopes',
  async (t) => {
    const scoped = routes.filter((route) => !('permission' in route) && route.access !== undefined);
    t.ok(scoped.length > 20, `${scoped.length} routes`);
    const wrong: string[] = [];
    for (const caller of callers) {
      clock.advance(minuteMs + 1_000);
      const found = await tryAll(scoped, async (route) => {
        const expected = caller.expect(route);
        const [example] = examples[keyOfRoute(route)] ?? [];
        if (expected === 'success' || example === undefined) return [];
        const call = {
          site,
          memory: 'cold',
          mark: crypto.randomUUID(),
          earlier: 1,
          now: clock.now(),
        } as const;
        const {
          path,
          host = site.host,
          headers: { authorization: _, ...headers } = {},
          body,
        } = example.send(call);
        const answer = await requestAt(service.url, host, path, {
          ...{ method: route.method, headers: { ...headers, ...(await credentialsFor(caller, route)) } },
          ...(body !== undefined && { body }),
        });
        return answer.status === expected ? [] : [`${keyOfRoute(route)}, ${caller.name}: ${shown(answer)}`];
      });
      wrong.push(...found);
    }
    t.strictSame(wrong, []);
  },
);

t.test('nothing has changed', async (t) => {
  const after = await readTables();
  t.ok(Object.keys(after).length > 30, `${Object.keys(after).length} tables`);
  t.strictSame(after, before);
});
