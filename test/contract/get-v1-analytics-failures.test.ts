import t from 'tap';
import type { FailureGroupsAnswer, FailuresAnswer } from '../../contract/analytics/failures.js';
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
const at = (minutesAgo: number, ms = 0) => new Date(minute - minutesAgo * minuteMs + ms).toISOString();
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const stack = 'TypeError: no price\n\tat pay (/app/pay.js:10:5)\n    at next (/app/next.js:3:1)';
const pay = { service: 'shop', endpoint: '/pay', status: 502, errorType: 'TypeError' };
const sent = await api.post('/api/v1/events', [
  {
    ...pay,
    ...{ at: at(5), message: 'no price for 4711', traceId, spanId: '00f067aa0ba902b7', stack },
    attributes: { region: 'eu', attempt: 2, retried: true, nested: { a: 1 }, password: 'hunter2' },
  },
  { ...pay, status: 503, at: at(4), message: 'no price for 12', trace_id: traceId.toUpperCase() },
  { ...pay, service: 'cart', endpoint: '/add', at: at(3), message: 'no price for 9', stack: 'x' },
  { ...pay, errorType: 'Timeout', at: at(2), message: 'payer is slow, token=abcdef123456', method: 'POST' },
  { ...pay, at: at(1), errorType: undefined, message: 'only a message' },
  { ...pay, status: 200, at: at(1), message: 'it went well' },
]);

const path = '/api/v1/analytics/failures';
const ask = (query: Record<string, string>, { key = api.readKey as string | null, below = '' } = {}) =>
  api.get(
    `${path}${below}?${new URLSearchParams(query)}`,
    key === null ? {} : { authorization: `Bearer ${key}` },
  );
const list = async (query: Record<string, string>) => (await ask(query)).body as FailuresAnswer;
const groups = async (query: Record<string, string>) =>
  (await ask(query, { below: '/groups' })).body as FailureGroupsAnswer;
const messages = ({ samples }: FailuresAnswer) => samples.map(({ message }) => message);
const [slow, nine, twelve, first] = [
  'payer is slow, token=[redacted]',
  'no price for 9',
  'no price for 12',
  'no price for 4711',
];

t.test('200: the samples of failing events, newest first, without their secrets', async (t) => {
  t.match(sent, { status: 202, body: { accepted: 6, warning: undefined } });
  const answer = await list({});
  t.same(messages(answer), [slow, nine, twelve, first]);
  t.match(answer, { keptFrom: null, notKept: null, nextCursor: null, truncated: false });
  t.same(answer.samples.at(-1), {
    ...{ at: at(5), service: 'shop', endpoint: '/pay', method: 'GET', status: 502, errorType: 'TypeError' },
    ...{ message: first, version: '', traceId, spanId: '00f067aa0ba902b7', stack },
    attributes: [
      { name: 'region', value: 'eu' },
      { name: 'attempt', value: '2' },
      { name: 'retried', value: 'true' },
      { name: 'password', value: '[redacted]' },
    ],
  });
  const { body } = await api.get('/api/v1/analytics/messages', { authorization: `Bearer ${api.readKey}` });
  t.same(
    (body as { messages: { message: string }[] }).messages.map(({ message }) => message),
    ['only a message', slow, nine, twelve, first],
    'messages are as before, but for their secrets',
  );
});

t.test('200: filters, range and pages of the list', async (t) => {
  t.same(messages(await list({ service: 'SHOP' })), [slow, twelve, first]);
  t.same(messages(await list({ endpoint: '/add/' })), [nine]);
  t.same(messages(await list({ errorType: 'Timeout' })), [slow]);
  t.same(messages(await list({ status: '503' })), [twelve]);
  t.same(messages(await list({ version: '1.0' })), []);
  t.same(messages(await list({ message: 'no price for 1' })), [nine, twelve, first]);
  t.same(messages(await list({ from: at(4), to: at(3) })), [twelve]);
  const start = await list({ limit: '3' });
  t.same(messages(start), [slow, nine, twelve]);
  t.same(messages(await list({ limit: '3', cursor: start.nextCursor ?? '' })), [first]);
  equalKept(t, await list({ from: 'now-15d' }), { now: Date.now() });
});

t.test('200: groups by type of error and message', async (t) => {
  const answer = await groups({});
  t.same(answer.groups, [
    {
      ...{ errorType: 'TypeError', message: nine, pattern: 'no price for #', count: 3 },
      ...{ firstAt: at(5), lastAt: at(3), statuses: [502, 503], versions: [] },
      endpoints: [
        { service: 'shop', endpoint: '/pay' },
        { service: 'cart', endpoint: '/add' },
      ],
      endpointsTotal: 2,
    },
    {
      ...{ errorType: 'Timeout', message: slow, pattern: slow, count: 1 },
      ...{ firstAt: at(2), lastAt: at(2), statuses: [502], versions: [] },
      ...{ endpoints: [{ service: 'shop', endpoint: '/pay' }], endpointsTotal: 1 },
    },
  ]);
  t.equal((await groups({ service: 'cart' })).groups[0]?.count, 1);
  t.match(await groups({ limit: '1' }), { groups: { length: 1 }, truncated: true });
});

t.test('200: another page has none of them', async (t) => {
  t.match((await ask({}, { key: otherKey })).body, { samples: [], nextCursor: null });
  t.match((await ask({}, { key: otherKey, below: '/groups' })).body, { groups: [] });
});

t.test('200: the newest 20 of an endpoint, minute and type of error, over several batches', async (t) => {
  const events = Array.from({ length: 30 }, (_, i) => ({
    ...{ ...pay, endpoint: '/many', at: at(8, i), message: 'no', attributes: { i } },
  }));
  for (const from of [20, 0, 10]) {
    await api.post('/api/v1/events', events.slice(from, from + 10));
    await list({ endpoint: '/many' });
  }
  const { samples } = await list({ endpoint: '/many', limit: '200' });
  t.same(
    samples.map(({ attributes: [attribute] }) => Number(attribute?.value)),
    Array.from({ length: 20 }, (_, i) => 29 - i),
  );
  const inParts: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part = await list({ endpoint: '/many', limit: '7', ...(cursor !== undefined && { cursor }) });
    inParts.push(...part.samples.map(({ at }) => at));
    cursor = part.nextCursor;
  }
  t.same(
    inParts,
    samples.map(({ at }) => at),
  );
});

t.test('400, 401 and 403', async (t) => {
  t.match(await ask({ status: '99' }), { status: 400, body: { error: /^Parameter "status" must be/ } });
  t.match(await ask({ limit: '201' }), { status: 400, body: { error: /1 to 200/ } });
  t.match(await ask({ cursor: 'x' }), { status: 400, body: { error: /"cursor"/ } });
  t.match(await ask({ cursor: '1-0' }, { below: '/groups' }), { status: 400, body: { error: /"cursor"/ } });
  t.match(await ask({}, { key: null }), { status: 401 });
  t.match(await ask({}, { key: api.ingestKey }), { status: 403 });
});
