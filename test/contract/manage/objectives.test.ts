import t from 'tap';
import type { ObjectiveReport } from '../../../contract/manage/objective-report.js';
import { type ManagedObjective, objectiveLimits } from '../../../contract/manage/objectives.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makeManageKeys, setPage } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = makeStoppedClock();
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql, clickhouse } = service.stores;
const deps = { sql, clock };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keys = await makeManageKeys(deps);
const key = bearer(keys.write);
const readKey = bearer(keys.read);
const otherKey = bearer(keys.other);
const { headers: responder } = await signInAs(deps, { slug: 'acme', role: 'responder' });

const list = '/api/v1/pages/acme/objectives';
type Body = ManagedObjective &
  ObjectiveReport & { error?: string; items: ManagedObjective[]; nextCursor: string | null };
const send = async (method: string, path: string, headers: object = key, sent?: unknown) => {
  const answer = await service.post(path, sent, { method, key: null, headers: { ...headers } });
  return { ...answer, body: answer.body as Body };
};
const usual = { name: 'Checkout', target: 99.9, window: { days: 28 }, sli: { requests: {} } };
const put = (slug: string, fields: object = {}, headers: object = key) =>
  send('PUT', `${list}/${slug}`, headers, { ...usual, ...fields });
const report = (slug: string, query = '', headers: object = readKey) =>
  send('GET', `${list}/${slug}/report${query}`, headers);

t.beforeEach(async () => {
  await sql`delete from objectives`;
});

t.test('201: an objective is created, with the bound that its threshold moves to', async (t) => {
  const sli = { requests: { service: ' Checkout', endpoint: '/pay/?x', method: 'post', underMs: 301 } };
  const { status, body, headers } = await put('fast', { sli });
  t.equal(status, 201, JSON.stringify(body));
  t.equal(headers.get('location'), `${list}/fast`);
  t.match(body, { slug: 'fast', ...usual, underMsUsed: 300 });
  t.strictSame(body.sli, {
    requests: { service: 'Checkout', endpoint: '/pay', method: 'POST', underMs: 301 },
  });
  t.match(body.burnPairs, [{ factor: 14.4 }, { factor: 6 }, { factor: 3 }, { factor: 1 }]);
  const read = await send('GET', `${list}/fast`, readKey);
  t.strictSame(read.body, body);
  const again = await send('GET', `${list}/fast`, {
    ...readKey,
    'if-none-match': read.headers.get('etag') ?? '',
  });
  t.equal(again.status, 304);
});

t.test('its ready-made rules follow its name and window, where nobody has changed them', async (t) => {
  await put('followed', { window: { days: 28 } });
  const rules = list.replace(/objectives$/, 'rules');
  const ruleOf = async (pair: string) => (await send('GET', `${rules}/followed-${pair}`)).body;
  const own = { factor: 10, longMinutes: 60, shortMinutes: 5 };
  t.equal((await send('PATCH', `${rules}/followed-page-slow`, key, { condition: own })).status, 200);
  t.equal((await send('PATCH', `${rules}/followed-ticket-fast`, key, { name: 'Spent' })).status, 200);
  t.equal((await put('followed', { name: 'Pay', window: { days: 7 } })).status, 200);
  t.match(await ruleOf('page-fast'), { name: 'Pay: budget burns fast', condition: { factor: 3.36 } });
  t.match(await ruleOf('page-slow'), { name: 'Pay: budget burns slow', condition: own });
  t.match(await ruleOf('ticket-fast'), { name: 'Spent', condition: { factor: 0.7 } });
  t.equal((await send('PATCH', `${list}/followed`, key, { window: { days: 28 } })).status, 200);
  t.match(await ruleOf('page-fast'), { name: 'Pay: budget burns fast', condition: { factor: 14.4 } });
  t.match(await ruleOf('page-slow'), { condition: own });
});

t.test('200: the same again writes no row of the audit log, and changes write what changed', async (t) => {
  await put('a');
  const tag = (await send('GET', `${list}/a`)).headers.get('etag') ?? '';
  const same = await put('a', { slug: 'a' }, { ...key, 'if-match': tag });
  t.equal(same.status, 200);
  t.equal(same.headers.get('etag'), tag);
  clock.advance(1_000);
  const changed = await send('PATCH', `${list}/a`, { ...key, 'if-match': tag }, { target: 99.5 });
  t.match(changed, { status: 200, body: { target: 99.5, name: 'Checkout' } });
  t.equal((await send('PATCH', `${list}/a`, { ...key, 'if-match': tag }, { target: 99 })).status, 412);
  t.equal((await put('a', { name: 'B' }, { ...key, 'if-none-match': '*' })).status, 412);
  t.equal((await put('none', {}, { ...key, 'if-match': tag })).status, 412);
  t.equal((await send('DELETE', `${list}/a`, { ...key, 'if-match': tag })).status, 412);
  t.equal((await send('DELETE', `${list}/a`)).status, 204);
  t.equal((await send('DELETE', `${list}/a`)).status, 404);
  t.equal((await send('PATCH', `${list}/a`, key, { target: 99 })).status, 404);
  t.equal((await report('a')).status, 404);
  const rows = await sql`
    select action, before, after from audit_log where action like 'objective.%' and target_name = 'a' order by id`;
  t.match(rows, [
    { action: 'objective.create', before: null, after: { slug: 'a', ...usual } },
    { action: 'objective.update', before: { target: 99.9 }, after: { target: 99.5 } },
    { action: 'objective.delete', before: { target: 99.5 }, after: null },
  ]);
  t.strictSame(rows[1]?.['after'], { target: 99.5 });
});

t.test('400: what does not fit is named', async (t) => {
  const wrong: [object, RegExp][] = [
    [{ name: ' ' }, /\/name/],
    [{ name: 'a\nb' }, /\/name/],
    [{ target: 0 }, /\/target/],
    [{ target: 100 }, /\/target/],
    [{ target: 99.999999 }, /\/target must have at most 5 decimals/],
    [{ window: { days: 0 } }, /\/window/],
    [{ window: { days: 91 } }, /\/window/],
    [{ window: { days: 28, calendar: 'month' } }, /\/window/],
    [{ window: { calendar: 'year' } }, /\/window/],
    [{ sli: {} }, /\/sli/],
    [{ sli: { requests: { underMs: 0 } } }, /\/sli/],
    [{ sli: { requests: { method: 'GET /' } } }, /\/sli\/requests\/method/],
    [{ sli: { requests: { endpoint: '?' } } }, /\/sli\/requests\/endpoint/],
    [{ sli: { requests: { service: 'a\u0000b' } } }, /\/sli\/requests\/service/],
    [{ sli: { monitor: { slug: 'none' } } }, /\/sli\/monitor\/slug .*none/],
    [{ slug: 'other' }, /\/slug/],
    [{ unknown: 1 }, /unknown/],
  ];
  const said: unknown[] = [];
  for (const [fields, expected] of wrong) {
    const { status, body } = await put('a', fields);
    if (status !== 400 || !expected.test(body.error ?? '')) said.push([fields, status, body.error]);
  }
  t.same(said, []);
  for (const slug of ['A', 'a--b', '-a', 'a'.repeat(61)]) t.equal((await put(slug)).status, 400, slug);
  await put('a');
  for (const at of ['yesterday', 'now-0x', '2100-01-01']) {
    t.match(await report('a', `?at=${at}`), { status: 400, body: { error: /"at"/ } });
  }
});

t.test('409: a page has a hundred', async (t) => {
  await put('first');
  await sql`
    insert into objectives (id, page_id, slug, name, target, window_days, created_at, updated_at)
    select gen_random_uuid(), page_id, 'o-' || n, 'More', 99, 28, created_at, updated_at
    from objectives, generate_series(2, ${objectiveLimits.perPage}) n where slug = 'first'`;
  t.match(await put('one-more'), { status: 409, body: { error: /100 objectives/ } });
  t.equal((await put('first', { target: 99 })).status, 200);
  const { body } = await send('GET', `${list}?limit=60`, readKey);
  const rest = await send('GET', `${list}?limit=60&cursor=${body.nextCursor}`, readKey);
  t.same([body.items.length, rest.body.items.length, rest.body.nextCursor], [60, 40, null]);
  const slugs = [...body.items, ...rest.body.items].map(({ slug }) => slug);
  t.same(slugs, slugs.toSorted());
  t.equal(new Set(slugs).size, 100);
});

t.test('an objective is public only when that is said, and at most ten are', async (t) => {
  t.match(await put('a'), { status: 201, body: { isPublic: false } });
  t.match(await send('PATCH', `${list}/a`, key, { isPublic: true }), {
    status: 200,
    body: { isPublic: true, name: 'Checkout' },
  });
  t.match(await send('PATCH', `${list}/a`, key, { target: 99 }), { body: { isPublic: true } });
  for (let n = 2; n <= objectiveLimits.publicPerPage; n += 1) await put(`o-${n}`, { isPublic: true });
  const expected = { status: 409, body: { error: /shows 10 objectives.* hide one first/ } };
  t.match(await put('one-more', { isPublic: true }), expected);
  t.equal((await put('one-more')).status, 201);
  t.match(await send('PATCH', `${list}/one-more`, key, { isPublic: true }), expected);
  t.equal((await put('a', { isPublic: true })).status, 200, 'a public one is changed');
  t.match(await put('a'), { status: 200, body: { isPublic: false } }, 'fields are replaced');
  t.equal((await send('PATCH', `${list}/one-more`, key, { isPublic: true })).status, 200);
  t.equal((await put('a', { isPublic: 'yes' })).status, 400);
  const rows = await sql`
    select before, after from audit_log where action = 'objective.update' and after ? 'isPublic'
      and target_name = 'one-more' order by id`;
  t.match(rows, [{ before: { isPublic: false }, after: { isPublic: true } }]);
});

t.test('401, 403 and 404: only those who may, and only on their page', async (t) => {
  await put('a');
  for (const one of [responder, readKey]) {
    t.equal((await put('a', {}, one)).status, 403);
    t.equal((await send('PATCH', `${list}/a`, one, { target: 99 })).status, 403);
    t.equal((await send('DELETE', `${list}/a`, one)).status, 403);
  }
  for (const [method, path] of [
    ['GET', list],
    ['GET', `${list}/a`],
    ['GET', `${list}/a/report`],
    ['DELETE', `${list}/a`],
  ] as const) {
    t.equal((await send(method, path, otherKey)).status, 404, `${method} ${path}`);
    t.equal((await send(method, path, {})).status, 401, `${method} ${path}`);
  }
  t.equal((await put('a', { target: 50 }, otherKey)).status, 404);
  t.equal((await send('PATCH', `${list}/a`, otherKey, { target: 50 })).status, 404);
  const read = await report('a', '', responder);
  t.equal(read.status, 200);
  t.match(read.headers.get('heartline-as-of'), /^\d{4}-.*Z$/);
  t.match((await send('GET', `${list}/a`)).body, usual);
  t.equal((await send('GET', '/api/v1/pages/other/objectives/a', otherKey)).status, 404);
});

t.test('the objective of a monitor goes with it, and each page has its own', async (t) => {
  const monitor = { slug: 'shop', type: 'http', name: 'Shop', url: 'https://shop.example.com/' };
  await send('POST', '/api/v1/pages/other/monitors', otherKey, monitor);
  t.equal((await put('up', { sli: { monitor: { slug: 'shop' } } })).status, 400);
  await send('POST', '/api/v1/pages/acme/monitors', key, monitor);
  const { status, body } = await put('up', { sli: { monitor: { slug: 'shop' } } });
  t.match({ status, sli: body.sli }, { status: 201, sli: { monitor: { slug: 'shop' } } });
  const figures = (await report('up')).body;
  t.match(figures, { unit: 'minutes', good: 0, total: 0, compliance: null, endsAt: null });
  t.equal((await put('up', { sli: { requests: { underMs: 250 } } })).body.underMsUsed, 250);
  await put('up', { sli: { monitor: { slug: 'shop' } } });
  await send('DELETE', '/api/v1/pages/acme/monitors/shop');
  t.equal((await send('GET', `${list}/up`)).status, 404);
});

/** Sends events of one service to the service, and returns what a report of them must have. */
async function sendEvents(events: { status: number; ms?: number; path?: string }[], minutesAgo: number) {
  const at = new Date(Math.floor(clock.now() / minuteMs) * minuteMs - minutesAgo * minuteMs);
  const answer = await service.post(
    '/api/v1/events',
    events.map(({ status, ms, path = '/pay' }) => ({
      ...{ at: at.toISOString(), service: 'checkout', endpoint: path, method: 'GET', status },
      ...(ms !== undefined && { ms }),
    })),
  );
  t.match(answer, { status: 202, body: { accepted: events.length } });
  // A report waits for what is acknowledged for a bounded time, which a busy machine may exceed.
  await service.settle();
}

t.test('200: counts at a bound are exact, from events to the report', async (t) => {
  await put('fast', { target: 90, sli: { requests: { service: 'checkout', underMs: 299 } } });
  await put('up', { target: 90, sli: { requests: { service: 'checkout' } } });
  const times = [1, 299.9, 300, 300.001, 304.9, 310, 900, 12.5];
  const events = times.flatMap((ms) => [
    { status: 200, ms },
    { status: 503, ms, path: '/slow' },
    { status: 404, ms },
  ]);
  await sendEvents([...events, { status: 200 }, { status: 500 }], 3);
  const fast = (await report('fast')).body;
  const inTime = times.filter((ms) => ms <= 300).length;
  t.match(fast, { underMsUsed: 300, good: 2 * inTime, total: 3 * times.length, isMet: false });
  t.match(
    fast.endpoints.items,
    [
      { service: 'checkout', endpoint: '/slow', spent: times.length, total: times.length },
      { endpoint: '/pay', spent: 2 * (times.length - inTime), total: 2 * times.length },
    ],
    'of two that spent the same, the one that fails more',
  );
  const up = (await report('up')).body;
  t.match(up, { underMsUsed: null, good: 2 * times.length + 1, total: 3 * times.length + 2 });
  t.match(up.endpoints.items, [
    { endpoint: '/slow', spent: times.length },
    { endpoint: '/pay', spent: 1 },
  ]);
  t.equal(up.burnRates[0]?.rate, 10 * ((times.length + 1) / (3 * times.length + 2)));
  t.match(
    up.burnRates.map(({ minutes }) => minutes),
    [5, 30, 60, 120, 360, 1_440, 4_320],
  );
  t.equal(up.endsAt, new Date(clock.now()).toISOString(), 'a third has failed where a tenth may');
});

t.test('200: budget, the worst days and the burn-down of 28 days', async (t) => {
  const now = Math.floor(clock.now() / dayMs) * dayMs;
  const rowsOf = (daysAgo: number, bad: number) => [
    { service: 'rolling', at: now - daysAgo * dayMs, requests: 1_000 - bad, status: 200 },
    { service: 'rolling', at: now - daysAgo * dayMs, requests: bad, status: 500 },
  ];
  await insertRequests(clickhouse, service.pageId, [...rowsOf(20, 5), ...rowsOf(10, 1), ...rowsOf(2, 3)]);
  await put('rolling', { target: 99, sli: { requests: { service: 'rolling' } } });
  const { status, body } = await report('rolling');
  t.equal(status, 200, JSON.stringify(body));
  t.match(body, { good: 2_991, total: 3_000, compliance: 99.7, isMet: true });
  t.match(body.budget, { total: 30, spent: 9, left: 21, leftPercent: 70 });
  t.match(body.worst, {
    unit: 'day',
    items: [
      { from: new Date(now - 20 * dayMs).toISOString(), spent: 5 },
      { from: new Date(now - 2 * dayMs).toISOString(), spent: 3 },
      { spent: 1 },
    ],
  });
  t.equal(body.burnDown.step, 6 * 3_600);
  t.equal(body.burnDown.points.at(-1)?.leftPercent, 70);
  t.equal(
    body.burnDown.points.reduce((sum, { total }) => sum + total, 0),
    3_000,
  );
  t.equal(Date.parse(body.window.to) - Date.parse(body.window.from), 28 * dayMs);
  t.equal(body.endsAt, null, 'nothing has failed in the last hour');
});

t.test('200: a past month in the time zone of the page, with its marks', async (t) => {
  await setPage(deps, { slug: 'acme', timeZone: 'Asia/Kathmandu' });
  const month = new Date(clock.now() - 45 * dayMs);
  const middle = Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), 15);
  await insertRequests(clickhouse, service.pageId, [
    { service: 'monthly', at: middle, requests: 90, status: 200 },
    { service: 'monthly', at: middle + hourMs, requests: 10, status: 500 },
  ]);
  await put('monthly', { window: { calendar: 'month' }, sli: { requests: { service: 'monthly' } } });
  await sql`
    insert into deployments (id, page_id, service, version, environment, at, announced_at)
    values (gen_random_uuid(), ${service.pageId}, 'monthly', '1.0', '', ${new Date(middle)}, now())`;
  const { body } = await report('monthly', `?at=${new Date(middle).toISOString()}`);
  t.match(body, { good: 90, total: 100, compliance: 90, isMet: false, endsAt: null, burnRates: [] });
  t.match(body.window, { isCurrent: false, from: /T18:15:00\.000Z$/, to: /T18:15:00\.000Z$/ });
  t.match(body.counted, { from: /T18:00:00\.000Z$/, to: /T19:00:00\.000Z$/ });
  t.match(body.deployments, [{ service: 'monthly', version: '1.0', environment: null }]);
  t.match(body.worst.items, [{ spent: 10 }]);
  const current = (await report('monthly')).body;
  t.match(current, { window: { isCurrent: true }, total: 0, compliance: null });
  t.ok(Date.parse(current.window.to) > clock.now());
  await setPage(deps, { slug: 'acme', timeZone: 'UTC' });
});

t.test('200: a window from before figures are kept says from when on it has them', async (t) => {
  await put('old', {
    window: { calendar: 'quarter' },
    sli: { requests: { service: 'checkout', endpoint: '/pay' } },
  });
  const { body } = await report('old', '?at=now-120d');
  t.match(body.notKept, /100 days/);
  t.ok(Date.parse(body.keptFrom ?? '') > Date.parse(body.window.from));
  t.equal(body.counted?.from ?? body.keptFrom, body.keptFrom);
});
