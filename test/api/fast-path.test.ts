import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import t from 'tap';
import { createListener } from '../../api/app.js';
import { loadAssets } from '../../api/public/assets.js';
import { createPublicCache } from '../../api/public/public-cache.js';
import { createPublicReads } from '../../api/public/public-reads.js';
import { createOriginParser } from '../../api/request-origin.js';
import { badgeRoutes } from '../../api/routes/badges.js';
import { embedRoutes } from '../../api/routes/embeds.js';
import { feedRoutes } from '../../api/routes/feeds.js';
import { summaryRoutes } from '../../api/routes/summaries.js';
import { viewRoutes } from '../../api/routes/views.js';
import { createKeyCache } from '../../control/keys/index.js';
import { createMetrics } from '../../service/metrics.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { countingSql } from '../support/counting-sql.js';
import { listenUntilEnd } from '../support/listen.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { makePage } from '../support/pages.js';
import { insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';

const stores = await openStores(t);
const page = await makePage(stores.sql, { languages: ['en', 'de'] });
const counting = countingSql(stores.sql);
let storeQueries = 0;
const clickhouse: Pick<ClickHouseClient, 'query'> = {
  query(options) {
    storeQueries += 1;
    return stores.clickhouse.query(options);
  },
};
const clock = makeMovingClock();
const deps = { sql: counting.sql, clock, log: silentLog };
const cache = createPublicCache(deps);
const parseOrigin = createOriginParser([]);
const routeDeps = {
  ...deps,
  clickhouse: clickhouse as ClickHouseClient, // The routes only call `query`.
  parseOrigin,
  reads: createPublicReads({ cache, parseOrigin }),
  originOf: (hostname: string) => `http://${hostname}`,
  assets: loadAssets().paths,
  sendsMail: true,
  figuresOf: async () => [],
  objectivesOf: async () => [],
  cache,
};
const routes = [
  ...summaryRoutes(routeDeps),
  ...feedRoutes(routeDeps),
  ...badgeRoutes(routeDeps),
  ...embedRoutes(routeDeps),
  ...viewRoutes(routeDeps),
];
const keys = createKeyCache({ ...deps, sql: stores.sql });
const log = keepLines();
const shared = { routes, metrics: createMetrics(), log: log.log };
const server = createServer(createListener({ ...shared, keys, bodyTimeoutMs: 1_000 }));
const url = `http://127.0.0.1:${await listenUntilEnd(t, server)}`;
await insertMonitor(stores.sql, page.id);
const ask = (query: string, headers: Record<string, string> = {}) =>
  requestAt(url, 'acme.localhost', `/api/public/acme/summary${query}`, { headers });
const asked = () => counting.count() + storeQueries;

t.test('made-up parameters and headers cause no query and do not change the answer', async (t) => {
  const first = await ask('');
  t.equal(first.status, 200);
  const before = asked();
  for (let i = 0; i < 50; i += 1) {
    const answer = await ask(`?x=${Math.random()}&y[]=${i}&__proto__=1`, {
      'x-forwarded-host': `host-${i}`,
      cookie: `session=${i}`,
      'accept-language': `x-${i}`,
      'cache-control': 'no-cache',
      pragma: 'no-cache',
    });
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('etag'), first.headers.get('etag'));
  }
  t.equal(asked(), before);
});

t.test('each include is built once, whatever the other parameters are', async (t) => {
  await ask('?include=coverage');
  const before = asked();
  for (let i = 0; i < 20; i += 1) await ask(`?a=${i}&include=coverage&b=${i}`);
  t.equal(asked(), before);
  await ask('?include=response-time');
  t.ok(asked() > before);
});

t.test(
  'an answer from memory equals that of the application, with its request id, metrics and log',
  async (t) => {
    const comparable = ({ status, headers, body }: Awaited<ReturnType<typeof ask>>) => ({
      status,
      body,
      headers: [...headers].filter(([name]) => name !== 'date').sort(),
    });
    const counted = async () => {
      const text = await shared.metrics.registry.metrics();
      const form =
        /heartline_http_request_seconds_count\{route="\/api\/public\/:slug\/summary",.*status="200"\} (\d+)/;
      return Number(form.exec(text)?.[1] ?? 0);
    };
    const path = '/api/public/acme/summary?include=response-time,coverage';
    for (const headers of [{}, { 'accept-encoding': 'br' }, { 'if-none-match': '*' }]) {
      for (const method of ['GET', 'HEAD']) {
        const options = { method, headers: { ...headers, 'x-request-id': 'mine' } };
        clock.advance(31_000);
        const built = await requestAt(url, 'acme.localhost', path, options);
        const before = await counted();
        log.clear();
        const ready = await requestAt(url, 'acme.localhost', path, options);
        t.strictSame(comparable(ready), comparable(built), `${method} ${JSON.stringify(headers)}`);
        t.equal(ready.headers.get('x-request-id'), 'mine');
        if (ready.status === 200 && method === 'GET') t.equal(await counted(), before + 1);
        t.match(log.lines, [
          { requestId: 'mine', method, route: '/api/public/:slug/summary', status: ready.status },
        ]);
      }
    }
    t.match((await ask('')).headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
  },
);

t.test('views are built once in each language, and made-up requests add nothing to the cache', async (t) => {
  const open = (path: string, headers: Record<string, string> = {}) =>
    requestAt(url, 'acme.localhost', path, { headers });
  await open('/en/nowhere');
  const of = async (path: string, accepted: string) =>
    (await open(path, { 'accept-language': accepted })).headers.get('etag');
  const [en, de] = [await of('/', 'en'), await of('/', 'de')];
  t.not(en, de);
  for (const tag of ['en', 'de']) await open('/nowhere', { 'accept-language': tag });
  const [before, held] = [asked(), cache.size().values];
  for (let i = 0; i < 30; i += 1) {
    t.equal(await of(`/?x=${Math.random()}`, `de;q=0.${100 + i},x-${i}`), de);
    t.equal(await of(`/en/?${i}`, `de-${i}`), en);
    const headers = { cookie: `a=${i}`, 'cache-control': 'no-cache', 'user-agent': `agent ${i}` };
    t.equal((await open(`/de/?${i}`, headers)).headers.get('etag'), de);
    t.equal((await open(`/nowhere-${i}`, headers)).status, 404);
  }
  t.equal(asked(), before, 'and no query runs');
  for (let i = 0; i < 30; i += 1) {
    t.equal((await open(`/en/incidents/${randomUUID()}`)).status, 404);
    t.equal((await open(`/de/history/${1_990 + i}-01`)).status, 404);
  }
  t.equal(cache.size().values, held);
});

t.test('every other read from memory equals that of the application', async (t) => {
  const comparable = ({ status, headers, body }: Awaited<ReturnType<typeof ask>>) => ({
    status,
    body,
    headers: [...headers].filter(([name]) => name !== 'date').sort(),
  });
  for (const [path, route] of [
    ['/', '/'],
    ['/de/', '/:language'],
    ['/de/history', '/:language/history'],
    ['/feed.rss', '/feed.rss'],
    ['/de/feed.json', '/:language/feed.json'],
    ['/badge.svg', '/badge.svg'],
    ['/badge/none.json?label=a', '/badge/:service.json'],
    ['/embed.json?language=de', '/embed.json'],
    ['/embed', '/embed'],
    ['/api/public/acme/upptime/summary.json', '/api/public/:slug/upptime/summary.json'],
  ] as const) {
    for (const headers of [
      { 'accept-language': 'de' },
      { 'accept-encoding': 'br' },
      { 'if-none-match': '*' },
    ]) {
      const options = { headers: { ...headers, 'x-request-id': 'mine' } };
      clock.advance(31_000);
      const built = await requestAt(url, 'acme.localhost', path, options);
      const before = asked();
      log.clear();
      const ready = await requestAt(url, 'acme.localhost', path, options);
      t.strictSame(comparable(ready), comparable(built), `${path} ${JSON.stringify(headers)}`);
      t.equal(asked(), before);
      t.match(log.lines, [{ requestId: 'mine', route, status: ready.status }]);
    }
  }
});

t.test('a refused include causes no query', async (t) => {
  const before = asked();
  for (let i = 0; i < 20; i += 1) t.equal((await ask(`?include=x${i}`)).status, 400);
  t.equal(asked(), before);
});

t.test('after 30 s the answer has the new state', async (t) => {
  const read = async () =>
    ((await ask('')).body as { services: { status: string }[] }).services.map(({ status }) => status);
  t.strictSame(await read(), ['up']);
  await stores.sql`update monitors set state = 'down' where page_id = ${page.id}`;
  t.strictSame(await read(), ['up']);
  clock.advance(31_000);
  t.strictSame(await read(), ['down']);
});

/** Debug log lines since the last `clear`. */
function keepLines() {
  const lines: object[] = [];
  const log = { ...silentLog, debug: (fields: object) => void lines.push(fields) };
  return { log, lines, clear: () => void lines.splice(0) };
}
