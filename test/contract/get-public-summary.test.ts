import t from 'tap';
import { Compile } from 'typebox/compile';
import type { PageId } from '../../contract/ids.js';
import { type Service, Summary } from '../../contract/summary.js';
import type { CreatePageInput } from '../../control/create-page.js';
import { makePage } from '../support/pages.js';
import { dayMs, formatDay, hourMs, insertDays, insertHours, insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

/** Half past twelve of today, so that the store keeps what is written about the year before. */
const now = Math.floor(Date.now() / dayMs) * dayMs + 12.5 * hourMs;
const api = await startTestService(t, { clock: { now: () => now } });
const { sql, clickhouse } = api.stores;
const path = '/api/public/acme/summary';
const isSummary = Compile(Summary);
let pages = 0;

/** A page of its own for each rule: what was read of a page stays in memory. */
async function makeOwnPage(input: Partial<CreatePageInput> = {}): Promise<{ id: PageId; slug: string }> {
  pages += 1;
  return makePage(sql, { slug: `page-${pages}`, ...input });
}

function ask(slug: string, query = '', headers: Record<string, string> = {}, method = 'GET') {
  return requestAt(api.url, `${slug}.localhost`, `/api/public/${slug}/summary${query}`, { headers, method });
}

async function read(slug: string, query = ''): Promise<Summary> {
  const { status, body } = await ask(slug, query);
  if (status !== 200 || !isSummary.Check(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

async function readService(slug: string, query = ''): Promise<Service> {
  const [service] = (await read(slug, query)).services;
  if (service === undefined) throw new Error('The page has no service.');
  return service;
}

t.test('200: a page without monitors', async (t) => {
  const { status, headers, body } = await ask('other');
  t.equal(status, 200);
  t.match(headers.get('content-type'), /^application\/json/);
  t.strictSame(body, { slug: 'other', lastChecked: null, monitoringPaused: false, services: [] });
});

t.test('200: a service has exactly these fields, before its first check, too', async (t) => {
  await insertMonitor(sql, api.pageId, { slug: 'api', name: 'API', every_seconds: 60 });
  t.strictSame(await read('acme'), {
    slug: 'acme',
    lastChecked: null,
    monitoringPaused: false,
    services: [
      {
        name: 'API',
        names: { en: 'API' },
        url: '',
        icon: `http://acme.localhost:${new URL(api.url).port}/favicon.svg`,
        slug: 'api',
        status: 'up',
        uptime: 'N/A',
        uptimeDay: 'N/A',
        uptimeWeek: 'N/A',
        uptimeMonth: 'N/A',
        uptimeYear: 'N/A',
        time: 0,
        timeDay: 0,
        timeWeek: 0,
        timeMonth: 0,
        timeYear: 0,
        dailyMinutesDown: {},
        dailyHealth: {},
      },
    ],
  });
});

t.test('200: names, icons, states, the order of services and the last check', async (t) => {
  const page = await makeOwnPage({ languages: ['de', 'en', 'pt-BR'] });
  const created_at = new Date(now - dayMs);
  await insertMonitor(sql, page.id, { slug: 'late', position: 1, created_at: new Date(now) });
  await insertMonitor(sql, page.id, { slug: 'early', position: 1, created_at, state: 'up' });
  await insertMonitor(sql, page.id, {
    slug: 'first',
    name: 'Zahlung',
    names: { en: 'Payments', fr: 'Paiements', de: 'nicht dieser' },
    icon_url: 'https://cdn.example.com/icon.png',
    state: 'down',
    last_checked_at: new Date(now - 1_234),
  });
  await sql`update pages set monitoring_paused = true where id = ${page.id}`;
  const summary = await read(page.slug);
  t.strictSame(
    summary.services.map(({ slug, status }) => [slug, status]),
    [
      ['first', 'down'],
      ['early', 'up'],
      ['late', 'up'],
    ],
  );
  t.equal(summary.lastChecked, new Date(now - 1_234).toISOString());
  t.equal(summary.monitoringPaused, true);
  const [first] = summary.services;
  t.equal(first?.name, 'Zahlung');
  t.strictSame(first?.names, { de: 'Zahlung', en: 'Payments', 'pt-BR': 'Zahlung' });
  t.equal(first?.icon, 'https://cdn.example.com/icon.png');
});

t.test('200: nothing of what is probed, and nothing of another page', async (t) => {
  const page = await makeOwnPage();
  const foreign = await insertMonitor(sql, api.otherPageId, { slug: 'foreign' });
  const monitorId = await insertMonitor(sql, page.id);
  await insertDays(clickhouse, { pageId: api.otherPageId, monitorId }, [{ at: now, upMs: 0 }]);
  await insertDays(clickhouse, { pageId: page.id, monitorId: foreign }, [{ at: now, upMs: 0 }]);
  const { body } = await ask(page.slug, '?include=response-time,coverage');
  t.notMatch(JSON.stringify(body), /private\.example\.com|foreign/);
  t.equal(await readService(page.slug).then(({ uptime }) => uptime), 'N/A');
});

t.test('200: each window has the points that begin in it, and no others', async (t) => {
  const page = await makeOwnPage({ historyDays: 7 });
  const owner = { pageId: page.id, monitorId: await insertMonitor(sql, page.id) };
  // Up for half of the first point of each window, and down all along before it, where it must not count.
  const hours = (back: number, upMs: number) => ({ at: now - back * hourMs, upMs, sumMs: back });
  await insertHours(clickhouse, owner, [
    hours(23, hourMs / 2),
    hours(24, 0),
    hours(7 * 24 - 1, hourMs / 2),
    hours(7 * 24, 0),
  ]);
  const days = (back: number, upMs: number) => ({ at: now - back * dayMs, upMs, sumMs: back });
  await insertDays(clickhouse, owner, [
    days(6, dayMs / 2),
    days(7, 0),
    days(29, dayMs / 2),
    days(30, 0),
    days(364, dayMs / 2),
    days(365, 0),
  ]);
  await sql`update pages set response_times_since = '2020-01-01' where id = ${page.id}`;
  const service = await readService(page.slug, '?include=response-time');
  t.strictSame(
    [service.uptimeDay, service.uptimeWeek, service.uptime, service.uptimeMonth, service.uptimeYear],
    ['50.00%', '33.33%', '50.00%', '33.33%', '30.00%'],
  );
  t.strictSame(
    [service.timeDay, service.timeWeek, service.time, service.timeMonth, service.timeYear],
    [23, Math.round((23 + 24 + 167) / 3), 6, 14, Math.round((6 + 7 + 29 + 30 + 364) / 5)],
  );
  t.strictSame(Object.keys(service.dailyMinutesDown), [formatDay(now - 6 * dayMs)]);
  t.strictSame(Object.keys(service.dailyHealth), [formatDay(now - 6 * dayMs)]);
  t.strictSame(service.responseTime?.points, [{ day: formatDay(now - 6 * dayMs), averageMs: 6 }]);
});

t.test('200: minutes down and failed checks of each day, of the newest computation', async (t) => {
  const page = await makeOwnPage();
  const owner = { pageId: page.id, monitorId: await insertMonitor(sql, page.id) };
  const at = (back: number) => now - back * dayMs;
  await insertDays(clickhouse, owner, [{ at: at(5), upMs: 0, checks: 1, failed: 1 }]);
  await insertDays(clickhouse, owner, [
    { at: at(0), observedMs: 600_000, upMs: 599_999, checks: 3, failed: 1 },
    { at: at(1), observedMs: 600_000, upMs: 600_000 - 90_000, checks: 2, failed: 2 },
    { at: at(2), checks: 1440 },
    { at: at(3), observedMs: 0, checks: 0 },
    { at: at(4), upMs: 0, checks: 0 },
    { at: at(5), checks: 200, failed: 1, version: 2 },
  ]);
  const service = await readService(page.slug);
  t.strictSame(service.dailyMinutesDown, {
    [formatDay(at(4))]: 1440,
    [formatDay(at(1))]: 2,
    [formatDay(at(0))]: 1,
  });
  t.strictSame(service.dailyHealth, {
    [formatDay(at(5))]: { rate: 0.5 },
    [formatDay(at(2))]: { rate: 0 },
    [formatDay(at(1))]: { rate: 100 },
    [formatDay(at(0))]: { rate: 33.33 },
  });
});

t.test('200: response times, weighted, since they are published', async (t) => {
  const page = await makeOwnPage({ historyDays: 30 });
  const owner = { pageId: page.id, monitorId: await insertMonitor(sql, page.id) };
  const at = (back: number) => now - back * dayMs;
  await sql`update pages set response_times_since = ${formatDay(at(3))} where id = ${page.id}`;
  await insertDays(clickhouse, owner, [
    { at: at(4), measured: 1000, sumMs: 1_000_000 },
    { at: at(3), measured: 3, sumMs: 300 },
    { at: at(2), measured: 0, sumMs: 0 },
    { at: at(1), measured: 1, sumMs: 500.6 },
  ]);
  t.strictSame((await readService(page.slug, '?include=response-time')).responseTime, {
    windowDays: 30,
    averageMs: 200.15,
    points: [
      { day: formatDay(at(3)), averageMs: 100 },
      { day: formatDay(at(1)), averageMs: 501 },
    ],
  });
  t.notOk('responseTime' in (await readService(page.slug)), 'only when it is asked for');
  t.notOk('responseTime' in (await readService(page.slug, '?include=coverage')));
});

t.test('200: without a measurement, and of a heartbeat, the series is empty', async (t) => {
  const page = await makeOwnPage();
  await insertMonitor(sql, page.id, { slug: 'never' });
  const monitorId = await insertMonitor(sql, page.id, { slug: 'cron', kind: 'heartbeat' });
  await insertDays(clickhouse, { pageId: page.id, monitorId }, [{ at: now, measured: 5 }]);
  const { services } = await read(page.slug, '?include=response-time');
  for (const { slug, responseTime } of services) {
    t.strictSame(responseTime, { windowDays: 90, averageMs: null, points: [] }, slug);
  }
});

t.test('200: coverage', async (t) => {
  const page = await makeOwnPage({ historyDays: 7 });
  const ago = (ms: number) => new Date(now - ms);
  const created = { created_at: ago(2 * dayMs), every_seconds: 60 };
  const monitorId = await insertMonitor(sql, page.id, {
    ...created,
    slug: 'fresh',
    last_checked_at: ago(120_000),
  });
  await insertMonitor(sql, page.id, { ...created, slug: 'stale', last_checked_at: ago(120_001) });
  await insertMonitor(sql, page.id, { ...created, slug: 'never' });
  await insertMonitor(sql, page.id, { ...created, slug: 'paused', paused_at: ago(hourMs) });
  await insertMonitor(sql, page.id, { slug: 'old', created_at: ago(400 * dayMs) });
  const brought = await insertMonitor(sql, page.id, { slug: 'brought', created_at: ago(hourMs) });
  await insertDays(clickhouse, { pageId: page.id, monitorId }, [{ at: now, observedMs: 10 * hourMs }]);
  await insertDays(clickhouse, { pageId: page.id, monitorId: brought }, [{ at: now - 2 * dayMs }]);
  // Twelve hours of which six are counted twice, and one that goes on.
  await sql`
    insert into pauses (page_id, monitor_id, from_at, to_at) values
      (${page.id}, ${monitorId}, ${ago(20 * hourMs)}, ${ago(11 * hourMs)}),
      (${page.id}, null, ${ago(17 * hourMs)}, ${ago(8 * hourMs)}),
      (${page.id}, null, ${ago(30 * dayMs)}, ${ago(29 * dayMs)}),
      (${page.id}, ${brought}, ${ago(hourMs)}, null)`;
  const { services } = await read(page.slug, '?include=coverage');
  const coverage = Object.fromEntries(services.map((service) => [service.slug, service.coverage]));
  t.strictSame(coverage['fresh'], {
    observedSeconds: 36_000,
    expectedSeconds: (48 - 12) * 3_600,
    percent: 27.77,
    lastCheckedAt: ago(120_000).toISOString(),
    ageSeconds: 120,
    freshness: 'fresh',
  });
  t.strictSame(
    ['stale', 'never', 'paused'].map((slug) => coverage[slug]?.freshness),
    ['stale', 'never', 'paused'],
  );
  t.match(coverage['never'], { observedSeconds: 0, percent: 0, lastCheckedAt: null, ageSeconds: null });
  t.equal(coverage['old']?.expectedSeconds, (6 * 24 + 12.5 - 9) * 3_600, 'since the window begins');
  t.match(coverage['brought'], {
    observedSeconds: 86_400,
    expectedSeconds: (2 * 24 + 12.5 - 9 - 1) * 3_600,
  });
  const both = await readService(page.slug, '?include=response-time,coverage');
  t.ok('coverage' in both && 'responseTime' in both, 'both when both are asked for');
});

t.test('200: an include that is percent-encoded, and parameters that are none of ours', async (t) => {
  const same = await ask('acme', '?include=response-time,coverage');
  for (const query of [
    '?include=response-time%2Ccoverage',
    '?%69nclude=response-time,coverage&x=1',
    '?includes=x&include=response-time,coverage&Include=y',
  ]) {
    const answer = await ask('acme', query);
    t.equal(answer.status, 200, query);
    t.strictSame(answer.body, same.body, query);
  }
});

t.test('200: how long it may be kept', async (t) => {
  const cases: [query: string, cacheControl: string][] = [
    ['', 'public, max-age=60'],
    ['?include=coverage', 'public, max-age=60'],
    ['?include=response-time', 'public, max-age=0, s-maxage=30, must-revalidate'],
    ['?include=response-time,coverage', 'public, max-age=0, s-maxage=30, must-revalidate'],
  ];
  const tags = new Set<string | null>();
  for (const [query, cacheControl] of cases) {
    for (const method of ['GET', 'HEAD']) {
      const { headers, status } = await ask('acme', query, {}, method);
      t.equal(status, 200);
      t.equal(headers.get('cache-control'), cacheControl, `${method} ${query}`);
      t.match(headers.get('etag'), /^"[\w-]+"$/);
      t.equal(headers.get('vary'), 'Accept-Encoding');
      t.equal(headers.get('access-control-allow-origin'), '*');
      tags.add(headers.get('etag'));
    }
  }
  t.equal(tags.size, cases.length, 'each has a tag of its own, and HEAD the same as GET');
});

t.test('304: the client has it', async (t) => {
  const query = '?include=response-time';
  const etag = (await ask('acme', query)).headers.get('etag') ?? '';
  for (const method of ['GET', 'HEAD']) {
    for (const sent of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a,b",W/${etag} , "c"`]) {
      const { status, headers, body } = await ask('acme', query, { 'if-none-match': sent }, method);
      t.equal(status, 304, `${method} ${sent}`);
      t.equal(body, '');
      t.equal(headers.get('etag'), etag);
      t.equal(headers.get('cache-control'), 'public, max-age=0, s-maxage=30, must-revalidate');
      t.equal(headers.get('vary'), 'Accept-Encoding');
      t.equal(headers.get('access-control-allow-origin'), '*');
      t.equal(headers.get('content-length'), null);
    }
  }
  const zipped = await ask('acme', query, { 'accept-encoding': 'gzip' }, 'HEAD');
  t.equal(zipped.headers.get('content-encoding'), 'gzip');
  const zippedTag = zipped.headers.get('etag') ?? '';
  t.not(zippedTag, etag, 'other bytes have another tag');
  const answer = await ask('acme', query, { 'if-none-match': zippedTag });
  t.equal(answer.status, 304, 'the same text in another encoding');
  t.equal(answer.headers.get('etag'), zippedTag);
});

t.test('200: the client has something else', async (t) => {
  const etag = (await ask('acme', '?include=response-time')).headers.get('etag') ?? '';
  for (const sent of ['"other"', etag.replaceAll('"', ''), '', `"x${etag.slice(1)}`, '"*"']) {
    t.equal((await ask('acme', '?include=response-time', { 'if-none-match': sent })).status, 200, sent);
  }
  t.equal((await ask('acme', '', { 'if-none-match': etag })).status, 200, 'the tag of another form');
});

t.test('400: any other include', async (t) => {
  for (const query of [
    '?include=',
    '?include',
    '?include=coverage,response-time',
    '?include=response-time&include=coverage',
    '?include=coverage&include=coverage',
    '?include=response-time,',
    '?include=Response-Time',
    '?include=response-time%20',
    '?include=uptime',
    '?x=1&include=__proto__',
  ]) {
    const { status, body, headers } = await ask('acme', query);
    t.equal(status, 400, query);
    t.strictSame(body, {
      error: 'Parameter "include" must be response-time, coverage or response-time,coverage.',
    });
    t.equal(headers.get('access-control-allow-origin'), '*');
  }
});

t.test('404: the host and the slug are not of the same page', async (t) => {
  for (const [host, slug] of [
    ['other.localhost', 'acme'],
    ['acme.localhost', 'other'],
    ['acme.localhost', 'nobody'],
    ['acme.localhost', 'ACME'],
    ['acme.localhost', 'a%20b'],
    ['acme.localhost', 'a'.repeat(2_000)],
    ['127.0.0.1', 'acme'],
  ] as const) {
    const answer = await requestAt(api.url, host, `/api/public/${slug}/summary`);
    t.equal(answer.status, 404, `${slug} on ${host}`);
    t.strictSame(answer.body, { error: 'Not found' });
    t.equal(answer.headers.get('access-control-allow-origin'), '*');
  }
  t.equal((await requestAt(api.url, 'ACME.localhost.:80', path)).status, 200, 'a host counts in any case');
});

t.test('405: another method', async (t) => {
  t.equal((await ask('acme', '', {}, 'POST')).status, 405);
});
