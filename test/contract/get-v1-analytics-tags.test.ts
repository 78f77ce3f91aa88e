import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makeKey } from '../support/pages.js';
import { startTestService, withoutJobs } from '../support/service.js';

const api = await startTestService(t, { roles: withoutJobs });
await api.post('/api/v1/events', [{ service: 'shop', endpoint: '/cart', status: 503, message: 'no stock' }]);
const authorization = `Bearer ${api.readKey}`;
const range = 'from=2026-01-31T00:00:00Z&to=2026-01-31T01:00:00Z';
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.url}/api/v1/analytics/${path}`, { headers: { authorization, ...headers } });

for (const path of [
  ...[`requests?${range}`, 'messages', 'messages/groups', `calls?${range}`, `rejections?${range}`],
  'monitors',
]) {
  t.test(`${path}: 304 for who has the answer`, async (t) => {
    const first = await ask(path);
    const body = await first.text();
    const tag = first.headers.get('etag') ?? '';
    t.equal(first.status, 200);
    t.match(tag, /^W\/"[\w-]{22}"$/);
    t.equal(first.headers.get('cache-control'), 'private, no-cache');
    t.match(first.headers.get('content-type'), 'application/json');
    const same = await ask(path, { 'if-none-match': `"other", ${tag}` });
    t.equal(same.status, 304);
    t.equal(await same.text(), '');
    t.equal(same.headers.get('etag'), tag);
    t.equal(same.headers.get('cache-control'), 'private, no-cache');
    t.equal(same.headers.has('heartline-as-of'), first.headers.has('heartline-as-of'));
    const other = await ask(path, { 'if-none-match': 'W/"other"' });
    t.equal(other.status, 200);
    t.equal(await other.text(), body);
  });
}

t.test('another answer has another tag', async (t) => {
  const tag = (await ask('messages')).headers.get('etag') ?? '';
  await api.post('/api/v1/events', [{ service: 'shop', endpoint: '/pay', status: 500, message: 'broken' }]);
  const answer = await ask('messages', { 'if-none-match': tag });
  t.equal(answer.status, 200);
  t.not(answer.headers.get('etag'), tag);
});

t.test(
  'a request that allows an age may get an older answer, and says how old; others get their own',
  async (t) => {
    const path = 'messages?limit=7';
    const first = await ask(path);
    t.equal(first.headers.get('age'), '0');
    await api.post('/api/v1/events', [
      { service: 'shop', endpoint: '/age', status: 500, message: 'too late' },
    ]);
    const aged = await ask(path, { 'cache-control': 'max-age=30' });
    const before = await first.text();
    t.equal(await aged.text(), before);
    t.equal(aged.headers.get('heartline-as-of'), first.headers.get('heartline-as-of'));
    const tag = first.headers.get('etag') ?? '';
    t.equal((await ask(path, { 'cache-control': 'max-age=30', 'if-none-match': tag })).status, 304);
    for (const header of ['max-age=0', 'no-cache', 'max-age=x', 'xmax-age=30'])
      t.match(await (await ask(path, { 'cache-control': header })).text(), /too late/, header);
    const other = await ask('messages?limit=8', { 'cache-control': 'max-age=30' });
    t.match(await other.text(), /too late/, 'another query is another answer');
  },
);

t.test('requests that allow an age share one read, and one that fails is no answer', async (t) => {
  const path = `requests?${range}&groupBy=endpoint`;
  const headers = { 'cache-control': 'max-age=30' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(path, headers)));
  t.strictSame([...new Set(answers.map(({ status }) => status))], [200]);
  t.equal(new Set(await Promise.all(answers.map((answer) => answer.text()))).size, 1);
  t.equal((await ask('messages?limit=0', headers)).status, 400);
  t.equal((await ask('messages?limit=0', headers)).status, 400);
});

t.test('pages share nothing', async (t) => {
  const path = `${api.url}/api/v1/analytics/messages?limit=9`;
  const headers = { 'cache-control': 'max-age=30' };
  await (await fetch(path, { headers: { ...headers, authorization } })).text();
  const { key: otherKey } = await makeKey(
    { sql: api.stores.sql, clock: systemClock },
    { slug: 'other', scope: 'read' },
  );
  const of = await fetch(path, { headers: { ...headers, authorization: `Bearer ${otherKey}` } });
  t.match(await of.json(), { messages: [], truncated: false });
});

t.test('an error has no tag', async (t) => {
  const answer = await ask('messages?limit=0');
  t.equal(answer.status, 400);
  t.notOk(answer.headers.has('etag'));
});
