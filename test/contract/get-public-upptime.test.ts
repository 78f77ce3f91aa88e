import t from 'tap';
import { Compile } from 'typebox/compile';
import { UpptimeSummary } from '../../contract/public/summary.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { notFound } from '../support/not-found.js';
import { makePage } from '../support/pages.js';
import { formatDay, insertDays, insertHours, insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

const now = Math.floor(Date.now() / dayMs) * dayMs + 12.5 * hourMs;
const api = await startTestService(t, { clock: { now: () => now } });
const path = '/api/public/acme/upptime/summary.json';

t.test("200: an array with exactly the fields that Upptime's widgets read", async (t) => {
  const { sql, clickhouse } = api.stores;
  const monitorId = await insertMonitor(sql, api.pageId, {
    slug: 'api',
    name: 'API',
    icon_url: 'https://cdn.example.com/api.svg',
    state: 'down',
  });
  const owner = { pageId: api.pageId, monitorId };
  await insertHours(clickhouse, owner, [{ at: now, measured: 2, sumMs: 701 }]);
  await insertDays(clickhouse, owner, [
    { at: now, measured: 2, sumMs: 701 },
    { at: now - dayMs, upMs: dayMs - 7 * 60_000, measured: 2, sumMs: 200 },
  ]);
  const { status, headers, body } = await requestAt(api.url, 'acme.localhost', path);
  t.equal(status, 200);
  t.match(headers.get('content-type'), /^application\/json/);
  t.ok(Compile(UpptimeSummary).Check(body));
  t.strictSame(body, [
    {
      name: 'API',
      url: '',
      icon: 'https://cdn.example.com/api.svg',
      slug: 'api',
      status: 'down',
      uptime: '99.75%',
      uptimeDay: '100.00%',
      uptimeWeek: '100.00%',
      uptimeMonth: '99.75%',
      uptimeYear: '99.75%',
      time: 225,
      timeDay: 351,
      timeWeek: 351,
      timeMonth: 225,
      timeYear: 225,
      dailyMinutesDown: { [formatDay(now - dayMs)]: 7 },
    },
  ]);
});

t.test('200: a heartbeat has no response time to show, and no monitor a URL', async (t) => {
  const { sql } = api.stores;
  const { id: pageId } = await makePage(sql, { slug: 'kinds', hostname: 'kinds.localhost' });
  for (const kind of ['http', 'tcp', 'heartbeat'] as const)
    await insertMonitor(sql, pageId, { slug: kind, kind });
  const { body } = await requestAt(api.url, 'kinds.localhost', path.replace('acme', 'kinds'));
  t.ok(Compile(UpptimeSummary).Check(body));
  t.match(body, [
    { slug: 'http', url: '' },
    { slug: 'tcp', url: '' },
    { slug: 'heartbeat', url: '', time: 0, showAverageResponseTime: false },
  ]);
  const shown = (body as object[]).map((service) => 'showAverageResponseTime' in service);
  t.strictSame(shown, [false, false, true], 'the field is absent for all others, as in Upptime');
});

t.test('200: how long which caches may keep it', async (t) => {
  const { headers } = await requestAt(api.url, 'acme.localhost', path, { method: 'HEAD' });
  t.equal(headers.get('cache-control'), 'public, max-age=60');
  t.equal(headers.get('access-control-allow-origin'), '*');
});

t.test('200: no services', async (t) => {
  const answer = await requestAt(api.url, 'other.localhost', path.replace('acme', 'other'));
  t.strictSame(answer.body, []);
});

t.test('304: the client has it already', async (t) => {
  const { headers } = await requestAt(api.url, 'acme.localhost', path);
  const answer = await requestAt(api.url, 'acme.localhost', path, {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  t.equal(answer.status, 304);
  t.equal(answer.body, '');
});

t.test('404: the host of another page', async (t) => {
  const answer = await requestAt(api.url, 'other.localhost', path);
  t.equal(answer.status, 404);
  t.strictSame(answer.body, notFound(api.url, 'acme'));
});
