import t from 'tap';
import type { TopAnswer, TotalsAnswer } from '../../contract/analytics/figures.js';
import { hourMs } from '../../lib/times.js';
import { endpointsKept, equalKept } from '../support/kept.js';
import { makeStoppedClock } from '../support/moving-clock.js';
import { makeKey } from '../support/pages.js';
import { startTestService } from '../support/service.js';

const clock = makeStoppedClock();
const api = await startTestService(t, { clock });
const { key: otherKey } = await makeKey({ sql: api.stores.sql, clock }, { slug: 'other', scope: 'read' });
const event = { service: ' Shop', endpoint: '/Cart/:id/?page=2', method: 'post', status: 200, latency: 40 };
const at = new Date(clock.now() - 2 * hourMs).toISOString();
await api.post('/api/v1/events', [
  event,
  { ...event, status: 503 },
  { ...event, service: 'search', endpoint: '/100%_found\\here', status: 404 },
  { ...event, at },
]);

const ask = (path: string, query: Record<string, string> | string, key: string | null = api.readKey) =>
  api.get(
    `/api/v1/analytics/${path}?${new URLSearchParams(query)}`,
    key === null ? {} : { authorization: `Bearer ${key}` },
  );

async function read(path: string, query: Record<string, string>, key = api.readKey): Promise<unknown> {
  const answer = await ask(path, query, key);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

// A 200 has this form; the tests check its content.
const totals = (query: Record<string, string>, key?: string) =>
  read('totals', query, key) as Promise<TotalsAnswer>;
const top = (query: Record<string, string>, key?: string) => read('top', query, key) as Promise<TopAnswer>;

t.test('totals, 200: the last hour, without parameters', async (t) => {
  const answer = await totals({});
  t.match(answer, { now: { requests: 3, errors: 1, clientErrors: 1, errorShare: 1 / 3 }, previous: null });
  t.match(Object.keys(answer), ['from', 'to', 'keptFrom', 'notKept', 'now', 'previous']);
  t.same((await totals({}, otherKey)).now.requests, 0, 'another page sees nothing of it');
});

t.test('totals, 200: the period before, and filters that are normalised as at ingest', async (t) => {
  t.match(await totals({ from: 'now-90m', compare: 'previous' }), {
    now: { requests: 3 },
    previous: { requests: 1 },
  });
  for (const filter of [{ endpoint: event.endpoint }, { service: 'SHOP' }] as Record<string, string>[]) {
    t.equal((await totals(filter)).now.requests, 2, JSON.stringify(filter));
  }
  t.equal((await totals({ method: 'post', status: '503' })).now.requests, 1);
});

const gone = {
  ...{ requests: null, errors: null, clientErrors: null, errorShare: null, requestsPerSecond: null },
  ...{ averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null },
};

t.test('totals, 200: null when the range begins before what is kept, and the answer says why', async (t) => {
  for (const range of [{ from: 'now-102d' }, { from: 'now-140d', to: 'now-101d' }] as Record<
    string,
    string
  >[]) {
    const answer = await totals({ ...range, endpoint: event.endpoint, compare: 'previous' });
    t.same([answer.now, answer.previous], [gone, null], JSON.stringify(range));
    equalKept(t, answer, { now: clock.now(), ...endpointsKept });
  }
  t.match(await totals({ from: 'now-14d' }), { keptFrom: null, notKept: null, now: { requests: 4 } });
});

t.test('totals, 200: years of the page, and 400 days of a service', async (t) => {
  for (const from of ['now-90d', 'now-399d', 'now-1500d'])
    t.match(await totals({ from }), { keptFrom: null, now: { requests: 4 } }, from);
  t.match(await totals({ from: 'now-399d', service: 'shop' }), { keptFrom: null, now: { requests: 3 } });
  const older = await totals({ from: 'now-401d', service: 'shop' });
  t.match(older, { now: gone, notKept: /^Figures of services are kept for 400 days\./ });
  const old = await totals({ from: 'now-600d', to: 'now-500d' });
  t.match([old.from, old.to], [/T00:00:00.000Z$/, /T00:00:00.000Z$/], 'only days are kept');
  const hours = await totals({ from: 'now-60d', to: 'now-59d' });
  t.equal(Date.parse(hours.to) - Date.parse(hours.from) <= 26 * hourMs, true, 'hours are kept');
});

t.test('totals, 200: says that the period before is not kept', async (t) => {
  const answer = await totals({ from: 'now-60d', endpoint: event.endpoint, compare: 'previous' });
  t.match(answer, { now: { requests: 3 }, previous: null });
  t.equal(
    answer.notKept,
    `Figures of endpoints are kept for 100 days. The period before begins before ${answer.keptFrom}, so "previous" is null.`,
  );
  for (const from of ['now-7d', 'now-90d', 'now-365d']) {
    t.match(await totals({ from, compare: 'previous' }), {
      ...{ keptFrom: null, notKept: null },
      previous: { requests: 0 },
    });
  }
});

t.test('top, 200: figures and steps from before what is kept are null', async (t) => {
  const answer = await top({ from: 'now-102d', points: '16' });
  equalKept(t, answer, { now: clock.now(), ...endpointsKept });
  t.match(answer, { groups: null, rows: [{ service: 'shop', now: gone }, { service: 'search' }] });
  const { step, from, keptFrom } = answer;
  if (step === null || keptFrom === null) throw new Error('No steps, or all are kept.');
  const first = Math.floor(Date.parse(from) / 1000 / step);
  const lines = answer.rows.map(({ sparkline }) => sparkline?.requests ?? []);
  const wanted = (sum: number) => (line: readonly (number | null)[]) =>
    line.every((value, i) => (value === null) === (first + i) * step * 1000 < Date.parse(keptFrom)) &&
    line.reduce<number>((total, value) => total + (value ?? 0), 0) === sum;
  t.same(
    [3, 1].map((sum, i) => lines.slice(i, i + 1).map(wanted(sum))),
    [[true], [true]],
  );
  t.ok(lines[0]?.includes(null));
  t.equal(answer.unfinishedFrom, new Date(Math.floor(clock.now() / 1000 / step) * step * 1000).toISOString());
  t.match(await top({}), { keptFrom: null, notKept: null, unfinishedFrom: null }, 'no sparklines, no steps');
});

t.test('top, 200: endpoints of the last hour, without parameters', async (t) => {
  const answer = await top({});
  t.match(answer, { by: 'endpoint', order: 'requests', step: null, groups: 2, truncated: false });
  t.match(answer.rows, [
    { service: 'shop', endpoint: '/Cart/:id', method: null, status: null, now: { requests: 2, errors: 1 } },
    { service: 'search', endpoint: '/100%_found\\here', previous: null, sparkline: null },
  ]);
  t.same((await top({}, otherKey)).rows, [], 'another page sees nothing of it');
});

t.test('top, 200: groups, orders, sparklines and limits', async (t) => {
  t.match((await top({ by: 'service', order: 'errors' })).rows, [{ service: 'shop', endpoint: null }, {}]);
  t.match((await top({ by: 'status', order: 'errorShare' })).rows[0], {
    status: 503,
    now: { errorShare: 1 },
  });
  t.match((await top({ by: 'method', points: '6' })).rows, [{ method: 'POST' }]);
  const limited = await top({ limit: '1', points: '60', compare: 'previous', from: 'now-90m' });
  t.match(limited, { groups: 2, truncated: true, rows: [{ previous: { requests: 1 } }] });
  const [{ sparkline } = { sparkline: null }] = limited.rows;
  t.equal(
    sparkline?.requests.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    2,
  );
});

t.test('top, 200: a search takes every character as it is', async (t) => {
  for (const search of ['%_F', '\\', '0%', 'SEARCH'])
    t.match((await top({ search })).rows, [{ service: 'search' }], search);
  for (const search of ['1%f', '%%', '_a', "'"]) t.same((await top({ search })).rows, [], search);
  t.equal((await top({ search: '' })).rows.length, 2);
});

t.test('400: names the parameter', async (t) => {
  const refused: [string, Record<string, string> | string, string][] = [
    ['totals', { from: 'yesterday' }, 'from'],
    ['totals', { compare: 'last' }, 'compare'],
    ['totals', { by: 'service' }, 'by'],
    ['totals', { status: '99' }, 'status'],
    ['totals', { service: '' }, 'service'],
    ['totals', 'from=now-1h&from=now-2h', 'from'],
    ['top', { by: 'region' }, 'by'],
    ['top', { order: 'p99' }, 'order'],
    ['top', { limit: '0' }, 'limit'],
    ['top', { limit: '201' }, 'limit'],
    ['top', { points: '61' }, 'points'],
    ['top', { points: '-1' }, 'points'],
    ['top', { search: 'a'.repeat(201) }, 'search'],
    ['top', { method: '' }, 'method'],
  ];
  for (const [path, query, name] of refused) {
    const answer = await ask(path, query);
    t.match(answer, { status: 400, body: { error: new RegExp(`"${name}"`) } }, `${path} ${name}`);
  }
});

t.test('401 and 403 without a read key', async (t) => {
  for (const path of ['totals', 'top']) {
    t.match(await ask(path, {}, null), {
      status: 401,
      body: { error: 'Invalid or revoked API key.', code: 'key.invalid' },
    });
    t.match(await ask(path, {}, api.incidentKey), { status: 403 });
  }
});
