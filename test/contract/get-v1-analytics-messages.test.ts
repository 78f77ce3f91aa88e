import t from 'tap';
import { analyticsLimits } from '../../contract/analytics/limits.js';
import type { MessagesAnswer } from '../../contract/analytics/messages.js';
import { systemClock } from '../../lib/clock.js';
import { hourMs } from '../../lib/times.js';
import { equalKept } from '../support/kept.js';
import { makeKey } from '../support/pages.js';
import { startTestService } from '../support/service.js';

const { readsPerPage, readsWaitingPerPage } = analyticsLimits;
const api = await startTestService(t);
const { key: otherKey } = await makeKey(
  { sql: api.stores.sql, clock: systemClock },
  { slug: 'other', scope: 'read' },
);
const event = { service: 'Shop', endpoint: '/pay/', status: 502 };
const at = new Date(Date.now() - 2 * hourMs).toISOString();
await api.post('/api/v1/events', [
  { ...event, message: 'now' },
  { ...event, at, message: 'two hours ago' },
]);

const ask = (query: Record<string, string>, key: string | null = api.readKey) =>
  api.get(
    `/api/v1/analytics/messages?${new URLSearchParams(query)}`,
    key === null ? {} : { authorization: `Bearer ${key}` },
  );

t.test('200: the last hour without parameters, and others', async (t) => {
  const now = { endpoint: '/pay', service: 'shop', status: 502, message: 'now' };
  const answer = await ask({});
  t.match(answer, {
    status: 200,
    body: { keptFrom: null, notKept: null, messages: [now], truncated: false },
  });
  t.match((await ask({ from: 'now-6h', to: 'now-90m' })).body, { messages: [{ message: 'two hours ago' }] });
  t.match((await ask({ service: 'SHOP', endpoint: '/pay/?a=b' })).body, { messages: [now] });
  t.match((await ask({}, otherKey)).body, { keptFrom: null, messages: [], truncated: false });
  const old = (await ask({ from: 'now-100d', to: 'now-15d' })).body as MessagesAnswer;
  t.match(old, { messages: [], truncated: false });
  equalKept(t, old, { now: Date.now() });
});

t.test('400, 401 and 403', async (t) => {
  t.match(await ask({ to: 'later' }), { status: 400, body: { error: /^Parameter "to" must be .*now-30m/ } });
  t.match(await ask({ step: '60' }), { status: 400, body: { error: /"step"/ } });
  t.match(await ask({}, null), { status: 401 });
  t.match(await ask({}, api.ingestKey), { status: 403 });
});

t.test('429: more reads of a page than run and wait; another page has turns of its own', async (t) => {
  // Ten times as many as have room, so that some are refused although the first end meanwhile.
  const many = Array.from({ length: 10 * (readsPerPage + readsWaitingPerPage) }, () => ask({}));
  t.match(await ask({}, otherKey), { status: 200 });
  const answers = await Promise.all(many);
  // On a busy machine some reads wait for their turn in vain, which is another refusal.
  const hasNoRoom = ({ body }: { body: unknown }) =>
    /^2 reads of this page are running/.test((body as { error: string }).error);
  const refused = answers.filter(({ status }) => status === 429).find(hasNoRoom);
  t.ok(refused, 'a read that finds no room is refused at once');
  t.equal(refused?.headers.get('retry-after'), '1');
  t.match(new Set(answers.map(({ status }) => status)), new Set([200, 429]));
  t.match(await ask({}), { status: 200 }, 'they end');
});
