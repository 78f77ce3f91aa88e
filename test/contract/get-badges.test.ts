import t from 'tap';
import { xml2js } from 'xml-js';
import type { ShieldsEndpoint } from '../../contract/public/badges.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { makeIncidentKey, openIncident } from '../support/incidents.js';
import { makePage } from '../support/pages.js';
import { insertDays, insertHours, insertMonitor, type MonitorFields } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { type Answer, startTestService } from '../support/service.js';

const api = await startTestService(t);
const { sql, clickhouse } = api.stores;
const now = Date.now();
const checked = { state: 'up', last_checked_at: new Date(now + hourMs) } as const;

const ask = (
  slug: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> => requestAt(api.url, `${slug}.localhost`, path, { headers, method });

/** The text of a badge as shields.io gets it. */
async function read(slug: string, path: string): Promise<ShieldsEndpoint> {
  const { status, body } = await ask(slug, path);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as ShieldsEndpoint;
}

/** The text of a badge's picture for screen readers; fails unless the picture is well-formed. */
function readSvg({ body }: Answer): string {
  const { svg } = xml2js(String(body), { compact: true }) as { svg: { title: { _text: string } } };
  return svg.title._text;
}

let pages = 0;
async function makeOwnPage(...monitors: MonitorFields[]) {
  pages += 1;
  const page = await makePage(sql, { slug: `page-${pages}`, name: `Page ${pages}` });
  for (const monitor of monitors) await insertMonitor(sql, page.id, monitor);
  return page;
}

t.test('200: the state of a service in words', async (t) => {
  const { slug } = await makeOwnPage(
    { slug: 'well', name: 'Well', ...checked },
    { slug: 'gone', name: 'Gone', ...checked, state: 'down' },
    { slug: 'held', ...checked, paused_at: new Date(now) },
    { slug: 'fresh' },
    { slug: 'old', ...checked, last_checked_at: new Date(now - dayMs) },
    { slug: 'busy', ...checked, state: 'down' },
    { slug: 'constructor', ...checked },
  );
  await openIncident(api, await makeIncidentKey(api, slug), {
    ...{ type: 'maintenance', monitorSlugs: ['busy'], startedAt: new Date(now - hourMs).toISOString() },
    scheduledEndAt: new Date(now + dayMs).toISOString(),
  });
  const messages = Object.fromEntries(
    await Promise.all(
      ['well', 'gone', 'held', 'fresh', 'old', 'busy', 'constructor'].map(async (service) => [
        service,
        (await read(slug, `/badge/${service}.json`)).message,
      ]),
    ),
  );
  t.strictSame(messages, {
    ...{ well: 'up', gone: 'down', held: 'paused', fresh: 'unknown', old: 'unknown', busy: 'maintenance' },
    constructor: 'up',
  });
  t.strictSame(await read(slug, '/badge/gone.json'), {
    ...{ schemaVersion: 1, label: 'Gone', message: 'down', color: '#c62b38', style: 'flat' },
  });
  t.equal(readSvg(await ask(slug, '/badge/gone.svg')), 'Gone: down');
});

t.test('200: headers of the picture and of its data', async (t) => {
  const { slug } = await makeOwnPage({ slug: 'api', ...checked });
  for (const [path, type] of [
    ['/badge/api.svg', 'image/svg+xml; charset=utf-8'],
    ['/badge.svg', 'image/svg+xml; charset=utf-8'],
    ['/badge/api.json', 'application/json; charset=utf-8'],
    ['/badge.json', 'application/json; charset=utf-8'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(slug, path, {}, method);
      t.equal(status, 200);
      t.equal(headers.get('content-type'), type, path);
      t.equal(headers.get('cache-control'), 'public, max-age=60');
      t.equal(headers.get('access-control-allow-origin'), '*');
      t.equal(headers.get('x-content-type-options'), 'nosniff');
      t.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
      t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
      t.match(headers.get('etag'), /^"[\w-]+"$/);
    }
  }
  t.notMatch(
    (await ask(slug, '/badge/api.svg')).body,
    /<style|style=|<script/,
    'nothing that the policy forbids',
  );
});

t.test('200: uptime and response time of each window', async (t) => {
  const page = await makeOwnPage();
  await sql`update pages set history_days = 7 where id = ${page.id}`;
  const owner = {
    pageId: page.id,
    monitorId: await insertMonitor(sql, page.id, { slug: 'api', name: 'API', ...checked }),
  };
  const day = (ago: number, upMs: number, sumMs: number) => ({
    at: now - ago * dayMs,
    upMs,
    sumMs,
    measured: 1,
  });
  await insertHours(clickhouse, owner, [
    { at: now, upMs: hourMs, sumMs: 10 },
    { at: now - 2 * dayMs, upMs: hourMs / 2, sumMs: 30 },
  ]);
  await insertDays(clickhouse, owner, [
    day(0, dayMs, 10),
    day(20, 0.98 * dayMs, 50),
    day(60, 0.91 * dayMs, 90),
    day(200, 0.71 * dayMs, 250),
  ]);
  const figures: Record<string, [uptime: string, color: string, time: string]> = {
    '24h': ['100%', '#1a7f42', '10 ms'],
    '7d': ['75.00%', '#c62b38', '20 ms'],
    '30d': ['99.00%', '#6b6f00', '30 ms'],
    '90d': ['96.33%', '#b45309', '50 ms'],
    '365d': ['90.00%', '#c62b38', '100 ms'],
  };
  for (const [window, [uptime, color, time]] of Object.entries(figures)) {
    const label = `API uptime ${window}`;
    t.match(await read(page.slug, `/badge/api.json?metric=uptime&window=${window}`), {
      label,
      message: uptime,
      color,
    });
    t.equal(
      readSvg(await ask(page.slug, `/badge/api.svg?metric=uptime&window=${window}`)),
      `${label}: ${uptime}`,
    );
    const times = await read(page.slug, `/badge/api.json?window=${window}&metric=response-time`);
    t.match(times, { label: `API response time ${window}`, message: time });
  }
  t.equal(
    (await read(page.slug, '/badge/api.json?metric=uptime')).label,
    'API uptime 30d',
    'a month by default',
  );
  await insertMonitor(sql, api.otherPageId, { slug: 'new', name: 'New' });
  t.match(await read('other', '/badge/new.json?metric=uptime'), { message: 'n/a', color: '#6b7280' });
  t.match(await read('other', '/badge/new.json?metric=response-time'), { message: 'n/a', color: '#6b7280' });
});

t.test('200: the state of a whole page', async (t) => {
  const message = async (slug: string) => (await read(slug, '/badge.json')).message;
  const up = { ...checked };
  const down = { ...checked, state: 'down' } as const;
  t.equal(await message((await makeOwnPage()).slug), 'unknown');
  t.equal(await message((await makeOwnPage({ slug: 'a', ...up })).slug), 'up');
  t.equal(
    await message((await makeOwnPage({ slug: 'a', ...up }, { slug: 'b', ...down })).slug),
    '1 of 2 down',
  );
  t.equal(await message((await makeOwnPage({ slug: 'a', ...down })).slug), 'down');
  const paused = await makeOwnPage({ slug: 'a', ...up });
  await sql`update pages set monitoring_paused = true where id = ${paused.id}`;
  t.equal(await message(paused.slug), 'paused');
  const troubled = await makeOwnPage({ slug: 'a', ...up });
  t.equal(await message(troubled.slug), 'up');
  await openIncident(api, await makeIncidentKey(api, troubled.slug));
  t.equal(await message(troubled.slug), 'incident', 'an incident shows at once');
  t.equal(readSvg(await ask(troubled.slug, '/badge.svg?style=flat-square')), `${troubled.name}: incident`);
});

t.test('200: a given label instead of the usual one, in each style', async (t) => {
  const { slug } = await makeOwnPage({ slug: 'api', name: 'n'.repeat(200), ...checked });
  const evil = `"'><script>alert(1)</script>&amp;\u0001]]>`;
  for (const style of ['flat', 'flat-square', 'plastic']) {
    const answer = await ask(slug, `/badge/api.svg?style=${style}&label=${encodeURIComponent(evil)}`);
    t.equal(answer.status, 200);
    t.notMatch(answer.body, '<script');
    t.equal(readSvg(answer), `${evil.replace('\u0001', '')}: up`);
  }
  t.equal(readSvg(await ask(slug, '/badge/api.svg?label=')), 'up', 'or none');
  t.equal((await read(slug, `/badge/api.json?label=${'%F0%9F%98%80'.repeat(60)}`)).label, '😀'.repeat(60));
  t.equal((await read(slug, '/badge/api.json')).label, `${'n'.repeat(59)}…`, 'a long name is cut');
});

t.test('304: the client has it already', async (t) => {
  const { slug } = await makeOwnPage({ slug: 'api', ...checked });
  for (const path of ['/badge/api.svg', '/badge/api.json?label=x', '/badge.svg?style=plastic']) {
    const etag = (await ask(slug, path)).headers.get('etag') ?? '';
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      const again = await ask(slug, path, { 'if-none-match': known });
      t.equal(again.status, 304, known);
      t.equal(again.body, '');
      t.equal(again.headers.get('etag'), etag);
    }
    t.equal((await ask(slug, path, { 'if-none-match': '"other"' })).status, 200);
  }
});

t.test('400: invalid parameters', async (t) => {
  const { slug } = await makeOwnPage({ slug: 'api' });
  const cases: [path: string, error: RegExp][] = [
    [
      '/badge/api.svg?metric=Uptime',
      /^Parameter "metric" must be one of status, uptime, response-time; it was the text "Uptime"\.$/,
    ],
    [
      '/badge/api.svg?window=30',
      /^Parameter "window" must be one of 24h, 7d, 30d, 90d, 365d; it was the text "30"\.$/,
    ],
    [
      '/badge/api.json?style=social',
      /^Parameter "style" must be one of flat, flat-square, plastic; it was the text "social"\.$/,
    ],
    [`/badge/api.svg?label=${'x'.repeat(61)}`, /^Parameter "label" must have at most 60 characters\.$/],
    ['/badge/api.svg?style=flat&style=plastic', /^Parameter "style" is given more than once\.$/],
    ['/badge/api.svg?color=red', /^There is no parameter "color"/],
    ['/badge.svg?metric=uptime', /^There is no parameter "metric"/],
  ];
  for (const [path, error] of cases) {
    const { status, headers, body } = await ask(slug, path);
    t.equal(status, 400, path);
    t.match(body, { error });
    t.equal(headers.get('access-control-allow-origin'), '*');
  }
});

t.test('200: a missing service has a badge as well, which proxies for images show', async (t) => {
  const { slug } = await makeOwnPage({ slug: 'api' });
  await insertMonitor(sql, api.otherPageId, { slug: 'foreign' });
  const seen = await Promise.all(
    ['nope', 'foreign', 'API', 'x'.repeat(63)].map(async (service) => {
      const answer = await ask(slug, `/badge/${service}.svg`);
      return [answer.status, answer.headers.get('cache-control'), readSvg(answer)];
    }),
  );
  const cached = 'public, max-age=60';
  t.strictSame(seen, [
    [200, cached, 'nope: not found'],
    [200, cached, 'foreign: not found'],
    [200, cached, 'API: not found'],
    [200, cached, `${'x'.repeat(59)}…: not found`],
  ]);
  const { status, headers, body } = await ask(slug, '/badge/nope.json?label=Shop');
  t.equal(status, 200);
  t.strictSame(body, {
    ...{ schemaVersion: 1, label: 'Shop', message: 'not found', color: '#6b7280', style: 'flat' },
    isError: true,
  });
  const etag = headers.get('etag') ?? '';
  t.equal((await ask(slug, '/badge/nope.json?label=Shop', { 'if-none-match': etag })).status, 304);
});

t.test('200: a host without a page has badges as well', async (t) => {
  const seen = await Promise.all(
    ['/badge.svg', '/badge/api.svg', '/badge.svg?label=Shop', '/badge/api.svg?style=plastic'].map(
      async (path) => {
        const answer = await ask('nobody', path, { accept: 'image/webp,*/*' });
        return [answer.status, answer.headers.get('content-type'), readSvg(answer)];
      },
    ),
  );
  const type = 'image/svg+xml; charset=utf-8';
  t.strictSame(seen, [
    [200, type, 'status: not found'],
    [200, type, 'api: not found'],
    [200, type, 'Shop: not found'],
    [200, type, 'api: not found'],
  ]);
  t.match((await read('nobody', '/badge.json')).isError, true);
  t.match((await ask('nobody', '/badge/api.json?metric=nope')).status, 400);
});

t.test('404: a name that no service can have has a badge as well', async (t) => {
  const { slug } = await makeOwnPage({ slug: 'api' });
  for (const service of ['__proto__', 'a.b', '%3Cscript%3E', 'x'.repeat(64), 'x'.repeat(300)]) {
    for (const host of [slug, 'nobody']) {
      const answer = await ask(host, `/badge/${service}.svg`);
      t.equal(answer.status, 404, service);
      t.equal(answer.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
      t.match(readSvg(answer), /: not found$/);
      t.notMatch(answer.body, '<script');
    }
  }
});
