import t from 'tap';
import type { Route } from '../../../api/route.js';
import { minuteMs } from '../../../lib/times.js';
import { examples } from '../../faults/routes/examples.js';
import { makeSite } from '../../faults/routes/site.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { signIn, signInAs } from '../../support/people.js';
import { requestAt } from '../../support/request-at.js';
import { makeRouteTable } from '../../support/route-table.js';
import { type Answer, startServiceOn, unansweredSmtp } from '../../support/service.js';
import { openEmptyClickHouse, openStores } from '../../support/stores.js';
import { type Caller, makeCallers } from './calls/callers.js';
import { isUsual, keyOfRoute, makeRequest, onNoPage, requestOfNothing } from './calls/managed-requests.js';
import { choices, ownRules, ownTargets, statusesForPeople, tidy } from './calls/particulars.js';
import { type Managed, type ManagedRequest, storeSettings, type World } from './calls/world.js';

/**
 * Every route of the service × everybody who may call it: the table is made from the routes, and what each must answer
 * from their scope and permission and the tables of both.
 */
t.setTimeout(600_000);

const clock = makeMovingClock();
const stores = await openStores(t);
const service = await startServiceOn(t, stores, {
  ...{ clock, roles: new Set(['api'] as const), trustedProxies: ['127.0.0.1'] },
  // The installation chooses, and allows them without an address of its own.
  allowPrivateAddresses: undefined,
  smtpUrl: unansweredSmtp,
});
const deps = { sql: stores.sql, clock };
const site = await makeSite({ ...stores, clock }, 'shop');
const elsewhere = await makePage(stores.sql, { slug: 'elsewhere' });
const callers = await makeCallers(deps, site.slug, elsewhere.slug);
const { routes } = makeRouteTable();
const managed = routes.filter((route): route is Managed => 'permission' in route);

const send = async (request: ManagedRequest, headers: Record<string, string>): Promise<Answer> => {
  const type = request.mediaType ?? 'application/json';
  return service.post(request.path, request.body, {
    ...{ key: null, method: request.method, headers: { ...headers, 'content-type': type } },
  });
};
const { id: makerId } = await signInAs(deps, 'admin');
const world: World = {
  ...{ slug: site.slug, routes: managed, sql: stores.sql },
  store: storeSettings((await openEmptyClickHouse(t)).clickhouseUrl),
  send: async (request) => send(request, { ...(await signIn(deps, makerId)) }),
};

let tried = 0;

t.test('every other route, by everybody', async (t) => {
  for (const route of routes.filter((one) => !('permission' in one))) {
    clock.advance(minuteMs + 1_000);
    const wrong: string[] = [];
    for (const caller of callers) wrong.push(...(await tryOther(route, caller)));
    t.strictSame(wrong, [], keyOfRoute(route));
  }
});

async function tryOther(route: Route, caller: Caller): Promise<string[]> {
  const [example] = examples[keyOfRoute(route)] ?? [];
  if (example === undefined) return [`there is no example of ${keyOfRoute(route)}`];
  tried += 1;
  const call = { site, memory: 'cold', mark: crypto.randomUUID(), earlier: tried, now: clock.now() } as const;
  const { path, host = site.host, headers: { authorization: _, ...headers } = {}, body } = example.send(call);
  const answer = await requestAt(service.url, host, path, {
    ...{ method: route.method, headers: { ...headers, ...(await caller.credentials(route)) } },
    ...(body !== undefined && { body }),
  });
  const expected = ownRules[keyOfRoute(route)]?.(caller.name) ?? caller.expect(route);
  const forPeople = caller.userId === undefined ? undefined : statusesForPeople[keyOfRoute(route)];
  const status = expected === 'success' ? (forPeople ?? example.usual) : expected;
  return answer.status === status
    ? []
    : [
        `${caller.name}: expected ${status}, got ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`,
      ];
}

t.test('every route of the management API, by everybody', async (t) => {
  for (const route of managed) {
    // Callers have a number of requests a minute.
    clock.advance(minuteMs + 1_000);
    await tidy(world);
    const wrong: string[] = [];
    const nothing = requestOfNothing(world, route);
    const shared = ownTargets.has(keyOfRoute(route))
      ? nothing
      : await makeRequest(world, route).catch((error) => {
          t.fail(keyOfRoute(route), error);
          return nothing;
        });
    for (const caller of callers) wrong.push(...(await tryManaged(route, caller, shared)));
    t.strictSame(wrong, [], keyOfRoute(route));
  }
});

async function tryManaged(route: Managed, caller: Caller, shared: ManagedRequest): Promise<string[]> {
  const expected = ownRules[keyOfRoute(route)]?.(caller.name) ?? caller.expect(route);
  // Who is refused changes nothing, so one target does for all of them.
  const request =
    expected === 'success' ? await makeRequest({ ...world, self: caller.userId }, route) : shared;
  const answer = await send(request, await caller.credentials(route));
  const place = `${caller.name}: expected ${expected}, got ${answer.status} ${JSON.stringify(answer.body)}`;
  if (expected === 'success') return isUsual(route, answer.status) ? [] : [place];
  if (answer.status !== expected) return [place];
  if (expected !== 404) return [];
  const nowhere = await send(onNoPage(request, site.slug), await caller.credentials(route));
  const same = nowhere.status === 404 && JSON.stringify(nowhere.body) === JSON.stringify(answer.body);
  return same ? [] : [`${caller.name}: tells that the page exists: ${JSON.stringify(answer.body)}`];
}

t.test('what is of another page does not exist, whatever it is', async (t) => {
  const stranger = callers.find(({ name }) => name === "another page's owner");
  const ofOthers = managed.filter(
    (route) => /:page\/.*:/.test(route.path) && !choices.has(keyOfRoute(route)),
  );
  for (const route of ofOthers) {
    clock.advance(minuteMs + 1_000);
    await tidy(world);
    const request = await makeRequest(world, route);
    const there = { ...request, path: request.path.replace('/pages/shop/', '/pages/elsewhere/') };
    const none = requestOfNothing(world, route);
    const nothing = { ...none, path: none.path.replace('/pages/shop/', '/pages/elsewhere/') };
    const credentials = async () => (await stranger?.credentials(route)) ?? {};
    const [found, missing] = [
      await send(there, await credentials()),
      await send(nothing, await credentials()),
    ];
    // A name that only the other page has is free on this one.
    const isCreated = route.method === 'PUT' && [found, missing].some(({ status }) => status < 300);
    if (!isCreated)
      t.equal(found.status, missing.status, `${keyOfRoute(route)} ${JSON.stringify(found.body)}`);
  }
});
