import t from 'tap';
import type { MessageGroupsAnswer } from '../../contract/analytics/messages.js';
import { systemClock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/times.js';
import { equalKept } from '../support/kept.js';
import { makeKey } from '../support/pages.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const { key: otherKey } = await makeKey(
  { sql: api.stores.sql, clock: systemClock },
  { slug: 'other', scope: 'read' },
);
const minute = Math.floor(Date.now() / minuteMs) * minuteMs;
const at = (minutesAgo: number) => new Date(minute - minutesAgo * minuteMs).toISOString();
await api.post('/api/v1/events', [
  {
    ...{ service: 'shop', endpoint: '/pay', status: 502 },
    at: at(5),
    message: 'card 4711 refused after 3012ms',
  },
  { ...{ service: 'shop', endpoint: '/pay', status: 503 }, at: at(4), message: 'card 12 refused after 7ms' },
  { ...{ service: 'cart', endpoint: '/add', status: 502 }, at: at(3), message: 'card 9 refused after 1ms' },
  {
    ...{ service: 'cart', endpoint: '/add', status: 500, at: at(2) },
    message: 'no user 0190a3b4-aaaa-7bbb-8ccc-dddddddddddd, trace 8f3aed01',
  },
  {
    ...{ service: 'cart', endpoint: '/add', status: 500, at: at(1) },
    message: 'no user abcdefab-CDEF-4bbb-8ccc-123456789abc, trace 0xFF',
  },
]);

const ask = (query: Record<string, string>, key: string | null = api.readKey) =>
  api.get(
    `/api/v1/analytics/messages/groups?${new URLSearchParams(query)}`,
    key === null ? {} : { authorization: `Bearer ${key}` },
  );
const read = async (query: Record<string, string>) => (await ask(query)).body as MessageGroupsAnswer;
const counts = ({ groups }: MessageGroupsAnswer) => groups.map(({ pattern, count }) => [pattern, count]);

t.test('200: messages that differ in numbers and ids alone are a group', async (t) => {
  t.same(await read({}), {
    ...{ keptFrom: null, notKept: null },
    groups: [
      {
        message: 'card 9 refused after 1ms',
        pattern: 'card # refused after #ms',
        count: 3,
        ...{ firstAt: at(5), lastAt: at(3), statuses: [502, 503] },
        endpoints: [
          { service: 'shop', endpoint: '/pay' },
          { service: 'cart', endpoint: '/add' },
        ],
        endpointsTotal: 2,
      },
      {
        message: 'no user abcdefab-CDEF-4bbb-8ccc-123456789abc, trace 0xFF',
        pattern: 'no user #, trace #',
        count: 2,
        ...{ firstAt: at(2), lastAt: at(1), statuses: [500] },
        endpoints: [{ service: 'cart', endpoint: '/add' }],
        endpointsTotal: 1,
      },
    ],
    truncated: false,
  });
});

t.test('200: filters, range and limit', async (t) => {
  const [card, user] = ['card # refused after #ms', 'no user #, trace #'];
  t.same(counts(await read({ service: 'SHOP' })), [[card, 2]]);
  t.same(counts(await read({ endpoint: '/add' })), [
    [user, 2],
    [card, 1],
  ]);
  t.same(counts(await read({ status: '502' })), [[card, 2]]);
  t.same(counts(await read({ from: at(3), to: at(1) })), [
    [card, 1],
    [user, 1],
  ]);
  const first = await read({ limit: '1' });
  t.same(counts(first), [[card, 3]]);
  t.equal(first.truncated, true);
  t.match((await ask({}, otherKey)).body, { keptFrom: null, groups: [], truncated: false });
  equalKept(t, await read({ from: 'now-15d' }), { now: Date.now() });
});

t.test('400, 401 and 403', async (t) => {
  t.match(await ask({ status: '99' }), { status: 400, body: { error: /^Parameter "status" must be/ } });
  t.match(await ask({ limit: '201' }), { status: 400, body: { error: /1 to 200/ } });
  t.match(await ask({ step: '60' }), { status: 400, body: { error: /"step"/ } });
  t.match(await ask({}, null), { status: 401 });
  t.match(await ask({}, api.ingestKey), { status: 403 });
});
