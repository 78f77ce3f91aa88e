import t from 'tap';
import { dayMs } from '../../lib/times.js';
import { notFound } from '../support/not-found.js';
import { insertDays, insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startSummaryService } from '../support/summaries.js';

const { api, now, makeOwnPage, ask, read, readService } = await startSummaryService(t);
const { sql, clickhouse } = api.stores;

t.test('200: a page without monitors', async (t) => {
  const { status, headers, body } = await ask('other');
  t.equal(status, 200);
  t.match(headers.get('content-type'), /^application\/json/);
  t.strictSame(body, { slug: 'other', lastChecked: null, monitoringPaused: false, services: [] });
});

t.test('200: a service has exactly these fields, even before its first check', async (t) => {
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

t.test('200: nothing about the probes, and nothing of another page', async (t) => {
  const page = await makeOwnPage();
  const foreign = await insertMonitor(sql, api.otherPageId, { slug: 'foreign' });
  const monitorId = await insertMonitor(sql, page.id);
  await insertDays(clickhouse, { pageId: api.otherPageId, monitorId }, [{ at: now, upMs: 0 }]);
  await insertDays(clickhouse, { pageId: page.id, monitorId: foreign }, [{ at: now, upMs: 0 }]);
  const { body } = await ask(page.slug, '?include=response-time,coverage');
  t.notMatch(JSON.stringify(body), /private\.example\.com|foreign/);
  t.equal(await readService(page.slug).then(({ uptime }) => uptime), 'N/A');
});

t.test('200: a percent-encoded include, and unknown parameters', async (t) => {
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

t.test('200: how long caches may keep it', async (t) => {
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
      t.equal(headers.get('vary'), 'Accept-Encoding, Host');
      t.equal(headers.get('access-control-allow-origin'), '*');
      tags.add(headers.get('etag'));
    }
  }
  t.equal(tags.size, cases.length, 'each has its own tag, and HEAD has that of GET');
});

t.test('304: the client has it already', async (t) => {
  const query = '?include=response-time';
  const etag = (await ask('acme', query)).headers.get('etag') ?? '';
  for (const method of ['GET', 'HEAD']) {
    for (const sent of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a,b",W/${etag} , "c"`]) {
      const { status, headers, body } = await ask('acme', query, { 'if-none-match': sent }, method);
      t.equal(status, 304, `${method} ${sent}`);
      t.equal(body, '');
      t.equal(headers.get('etag'), etag);
      t.equal(headers.get('cache-control'), 'public, max-age=0, s-maxage=30, must-revalidate');
      t.equal(headers.get('vary'), 'Accept-Encoding, Host');
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

t.test('200: the client has another version', async (t) => {
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
      code: 'parameter.include_unsupported',
    });
    t.equal(headers.get('access-control-allow-origin'), '*');
  }
});

t.test('404: the host and the slug belong to different pages', async (t) => {
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
    t.strictSame(answer.body, notFound(api.url, slug, ['acme', 'other']));
    t.equal(answer.headers.get('access-control-allow-origin'), '*');
  }
  t.equal(
    (await requestAt(api.url, 'ACME.localhost.:80', '/api/public/acme/summary')).status,
    200,
    'the case of a host does not matter',
  );
});

t.test('405: another method', async (t) => {
  t.equal((await ask('acme', '', {}, 'POST')).status, 405);
});
