import t from 'tap';
import type { CallsAnswer } from '../../contract/analytics/reporters.js';
import { systemClock } from '../../lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { insertReports } from '../analytics/support.js';
import { allKept, equalKept } from '../support/kept.js';
import { makeKey } from '../support/pages.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const { clickhouse, sql } = api.stores;
const { key: otherKey } = await makeKey({ sql, clock: systemClock }, { slug: 'other', scope: 'read' });
const worker = { reporterId: 'Worker', englishName: 'Worker' };
// Two batches of a service, three reports of a reporter of which one is a heartbeat.
for (const events of [[{ endpoint: '/a', status: 200 }], [{ endpoint: '/a', status: 200 }], []]) {
  await api.post('/api/v2/events', { reporter: worker, events });
}
for (const status of [200, 500]) {
  await api.post('/api/v1/events', [
    { service: 'Shop', endpoint: '/a', status },
    { service: 'Shop', endpoint: '/b', status },
  ]);
}
const yesterday = Math.floor(Date.now() / hourMs) * hourMs - 24 * hourMs;
const shop = { kind: 'service', service: 'shop' } as const;
await insertReports(clickhouse, api.pageId, shop, [
  ...[yesterday, yesterday + minuteMs, yesterday + 59 * minuteMs],
  yesterday + 3 * hourMs,
]);
const iso = (ms: number) => new Date(ms).toISOString();
const dayAgo = { from: iso(yesterday), to: iso(yesterday + 4 * hourMs), step: '3600' };

const ask = (query: Record<string, string>, key: string | null = api.readKey) =>
  api.get(
    `/api/v1/analytics/calls?${new URLSearchParams(query)}`,
    key === null ? {} : { authorization: `Bearer ${key}` },
  );
const read = async (query: Record<string, string>) => (await ask(query)).body as CallsAnswer;
const total = (points: readonly (number | null)[]) =>
  points.reduce<number>((sum, calls) => sum + (calls ?? 0), 0);

t.test('200: each batch and each report is a call, in the order of the names', async (t) => {
  const { reporters, step, truncated } = await read({});
  t.same([step, truncated], [60, false]);
  t.same(
    reporters.map(({ id, kind, points }) => [id, kind, total(points)]),
    [
      ['Worker', 'reporter', 3],
      ['shop', 'service', 2],
    ],
  );
});

t.test('200: steps without a call are 0', async (t) => {
  t.same(await read(dayAgo), {
    ...{ from: dayAgo.from, to: dayAgo.to, step: 3_600, truncated: false },
    ...allKept,
    reporters: [
      { id: 'Worker', kind: 'reporter', points: [0, 0, 0, 0] },
      { id: 'shop', kind: 'service', points: [3, 0, 0, 1] },
    ],
  });
});

t.test('200: steps from before what is kept are null, and the running one is said', async (t) => {
  const answer = await read({ from: 'now-16d', step: '86400' });
  equalKept(t, answer, { now: Date.now() });
  const first = Math.floor(Date.parse(answer.from) / dayMs);
  const isKept = (i: number) => (first + i) * dayMs >= Date.parse(`${answer.keptFrom}`);
  for (const { id, points } of answer.reporters) {
    t.ok(points[0] === null && points.at(-1) !== null, id);
    t.ok(
      points.every((calls, i) => (calls !== null) === isKept(i)),
      id,
    );
  }
  t.equal(answer.unfinishedFrom, `${answer.to.slice(0, 10)}T00:00:00.000Z`);
});

t.test('200: one of them, and the first of them', async (t) => {
  t.same((await read({ ...dayAgo, reporter: 'SHOP' })).reporters, [
    { id: 'shop', kind: 'service', points: [3, 0, 0, 1] },
  ]);
  t.same((await read({ ...dayAgo, reporter: 'nobody' })).reporters, []);
  const first = await read({ ...dayAgo, limit: '1' });
  t.same([first.reporters.map(({ id }) => id), first.truncated], [['Worker'], true]);
  t.same((await ask({}, otherKey)).body, { ...(await read({})), reporters: [] });
});

t.test('200: two weeks of 200 reporters, and a day of 2,000', async (t) => {
  t.equal((await ask({ from: 'now-14d' })).status, 200);
  t.equal((await ask({ from: 'now-24h', step: '3600', limit: '2000' })).status, 200);
});

t.test('400, 401 and 403', async (t) => {
  const tooMuch = await ask({ from: 'now-14d', step: '86400', limit: '2000' });
  t.match(tooMuch, { status: 400, body: { error: /"limit" times the 20160 minutes .* at most 4100000/ } });
  t.match(await ask({ from: 'now-6h', step: '60', limit: '2000' }), {
    status: 400,
    body: { error: /points/ },
  });
  t.match(await ask({ limit: '2001' }), { status: 400, body: { error: /1 to 2000/ } });
  t.match(await ask({ service: 'shop' }), { status: 400, body: { error: /"service"/ } });
  t.match(await ask({ reporter: 'a\0b' }), { status: 400, body: { error: /"reporter" .* character 0/ } });
  t.match(await ask({}, null), { status: 401 });
  t.match(await ask({}, api.ingestKey), { status: 403 });
});
