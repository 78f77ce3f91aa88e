import { createServer } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { answerReadyFirst } from '../../api/answer-ready.js';
import { createApp } from '../../api/app.js';
import { createMetrics } from '../../api/metrics.js';
import { negotiateEncoding } from '../../api/negotiate-encoding.js';
import { createPublicCache, type PublicCache, type Variant } from '../../api/public-cache.js';
import type { Representation } from '../../api/representation.js';
import { createOriginReader } from '../../api/request-origin.js';
import { publicRoutes } from '../../api/routes/public.js';
import type { PageId } from '../../contract/ids.js';
import { createKeyCache } from '../../control/key-cache.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { captureLog } from '../support/capture-log.js';
import { countingSql } from '../support/counting-sql.js';
import { stopTime } from '../support/fake-time.js';
import { type MovingClock, makeMovingClock } from '../support/moving-clock.js';
import { makePage } from '../support/pages.js';
import { insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';

const stores = await openStores(t);
const page = await makePage(stores.sql);
const other = await makePage(stores.sql, { slug: 'other' });
const kind = { contentType: 'text/plain', cacheControl: 'public' };

/** What was logged for debugging since it was last cleared. */
function keepLines() {
  const lines: object[] = [];
  const log = { ...silentLog, debug: (fields: object) => void lines.push(fields) };
  return { log, lines, clear: () => void lines.splice(0) };
}

/** A clock that moves only when it is told to. */
function makeStandingClock(): MovingClock {
  let now = Date.UTC(2026, 0, 31, 12);
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

/** A cache whose variants count how often they are built, and fail or wait when they are told to. */
function makeCache(options: { bytesMax?: number; text?: (pageId: PageId) => string } = {}) {
  const clock = makeStandingClock();
  const counting = countingSql(stores.sql);
  const captured = captureLog();
  const builds: string[] = [];
  const state = { failing: false, gone: false, gate: Promise.resolve() };
  const cache = createPublicCache({ ...options, sql: counting.sql, clock, log: captured.log });
  const variant = (name: string): Variant => ({
    ...kind,
    name,
    async render(pageId) {
      builds.push(`${name} ${pageId}`);
      await state.gate;
      if (state.failing) throw new Error('The store is away.');
      return state.gone ? undefined : (options.text?.(pageId) ?? `${name} of ${pageId}, ${builds.length}`);
    },
  });
  return { cache, clock, builds, state, queries: counting.count, log: captured, variant };
}

const textOf = ({ identity }: Representation) => identity.bytes.toString();
const readText = async (cache: PublicCache, variant: Variant, slug = 'acme') =>
  textOf(await cache.find(`${slug}.localhost`, slug, variant));

t.test('50 reads at once: one build, and no more queries than of one', async (t) => {
  const alone = makeCache();
  await readText(alone.cache, alone.variant('summary'));
  const { cache, builds, queries, variant } = makeCache();
  const summary = variant('summary');
  const found = await Promise.all(
    Array.from({ length: 50 }, () => cache.find('acme.localhost', 'acme', summary)),
  );
  t.equal(builds.length, 1);
  t.equal(queries(), alone.queries());
  t.equal(new Set(found).size, 1);
});

t.test('a read of what is there asks nobody and builds nothing', async (t) => {
  const { cache, builds, queries, variant } = makeCache();
  const summary = variant('summary');
  const first = await cache.find('acme.localhost', 'acme', summary);
  const asked = queries();
  for (let i = 0; i < 100; i += 1) {
    t.equal(cache.peek('acme.localhost', 'acme', summary), first);
    t.equal(await cache.find('acme.localhost', 'acme', summary), first);
  }
  t.equal(queries(), asked);
  t.equal(builds.length, 1);
});

t.test('it is built again after 30 s, by whoever asks, once', async (t) => {
  const { cache, clock, builds, variant } = makeCache();
  const summary = variant('summary');
  await readText(cache, summary);
  clock.advance(29_999);
  await readText(cache, summary);
  t.equal(builds.length, 1);
  clock.advance(1);
  const texts = await Promise.all(Array.from({ length: 50 }, () => readText(cache, summary)));
  t.equal(builds.length, 2);
  t.strictSame([...new Set(texts)], [`summary of ${page.id}, 2`]);
  clock.advance(-86_400_000);
  await readText(cache, summary);
  t.equal(builds.length, 3, 'also after the clock was put back');
});

t.test('variants and pages have entries of their own', async (t) => {
  const { cache, builds, variant } = makeCache();
  const [plain, coverage] = [variant('plain'), variant('coverage')];
  t.equal(await readText(cache, plain), `plain of ${page.id}, 1`);
  t.equal(await readText(cache, coverage), `coverage of ${page.id}, 2`);
  t.equal(await readText(cache, plain, 'other'), `plain of ${other.id}, 3`);
  t.equal(await readText(cache, plain), `plain of ${page.id}, 1`);
  t.equal(builds.length, 3);
  t.equal(cache.size().values, 3);
});

t.test('the bytes that are held stay below the bound', async (t) => {
  const pages = await Promise.all(
    Array.from({ length: 20 }, (_, i) => makePage(stores.sql, { slug: `many-${i}` })),
  );
  // Of these letters nothing is saved by compressing, so that each takes about three times its length.
  const text = (pageId: PageId) =>
    Array.from({ length: 300 }, (_, i) => Buffer.from(pageId + i).toString('base64')).join('');
  const bytesMax = 100_000;
  const { cache, builds, variant } = makeCache({ bytesMax, text });
  const summary = variant('summary');
  for (const { slug } of pages) {
    await readText(cache, summary, slug);
    t.ok(cache.size().bytes <= bytesMax);
  }
  t.ok(cache.size().values > 0 && cache.size().values < 20, `${cache.size().values} are held`);
  await readText(cache, summary, 'many-19');
  t.equal(builds.length, 20, 'the newest is held');
  await readText(cache, summary, 'many-0');
  t.equal(builds.length, 21, 'the oldest went');
  const tooLarge = makeCache({ bytesMax: 1_000, text });
  for (let i = 0; i < 2; i += 1) {
    t.equal(await readText(tooLarge.cache, tooLarge.variant('summary')), text(page.id));
  }
  t.equal(tooLarge.cache.size().values, 0, 'one that is larger than all may be is served and not held');
});

t.test('while it cannot be built, the older one is served for ten minutes', async (t) => {
  const { cache, clock, builds, state, log, variant } = makeCache();
  const summary = variant('summary');
  const first = await readText(cache, summary);
  state.failing = true;
  clock.advance(31_000);
  t.equal(await readText(cache, summary), first);
  t.match(log.text(), /an older one is served/);
  t.match(log.text(), /The store is away/);
  await readText(cache, summary);
  t.equal(builds.length, 2, 'it is not tried again at once');
  clock.advance(3_000);
  await readText(cache, summary);
  t.equal(builds.length, 3, 'but soon');
  clock.advance(560_000);
  t.equal(await readText(cache, summary), first);
  clock.advance(10_000);
  await t.rejects(readText(cache, summary), { code: 'storeUnavailable', headers: { 'retry-after': '2' } });
  state.failing = false;
  t.equal(await readText(cache, summary), `summary of ${page.id}, ${builds.length}`);
});

t.test('a store that hangs holds no reader up for long who can have the older one', async (t) => {
  const { cache, clock, state, builds, variant } = makeCache();
  const summary = variant('summary');
  const first = await readText(cache, summary);
  clock.advance(31_000);
  await readText(cache, variant('another'));
  const advance = stopTime(t);
  let open = () => {};
  state.gate = new Promise((resolve) => {
    open = resolve;
  });
  const waiting = [readText(cache, summary), readText(cache, summary)];
  await advance(2_500);
  t.strictSame(await Promise.all(waiting), [first, first]);
  t.equal(builds.length, 3);
  open();
});

t.test('503 when there is nothing older; the next read tries again', async (t) => {
  const { cache, state, builds, variant } = makeCache();
  state.failing = true;
  const summary = variant('summary');
  await t.rejects(readText(cache, summary), { code: 'storeUnavailable', status: 503 });
  state.failing = false;
  await readText(cache, summary);
  t.equal(builds.length, 2);
});

t.test('404 for a page that went, not its older form', async (t) => {
  const { cache, clock, state, variant } = makeCache();
  const summary = variant('summary');
  await readText(cache, summary);
  state.gone = true;
  clock.advance(31_000);
  await t.rejects(readText(cache, summary), { code: 'notFound' });
  t.equal(cache.size().values, 0);
});

t.test('a page that gets another host leaves the old one within 30 s', async (t) => {
  const moving = await makePage(stores.sql, { slug: 'moving' });
  const { cache, clock, variant } = makeCache();
  const summary = variant('summary');
  await readText(cache, summary, 'moving');
  await stores.sql`update pages set hostname = 'moved.localhost' where id = ${moving.id}`;
  clock.advance(31_000);
  await t.rejects(readText(cache, summary, 'moving'), { code: 'notFound' });
  t.match(textOf(await cache.find('moved.localhost', 'moving', summary)), moving.id);
});

t.test('addresses of no page: asked for once; what cannot be a slug, never', async (t) => {
  const { cache, clock, queries, variant } = makeCache();
  const summary = variant('summary');
  await readText(cache, summary);
  const ofOne = queries();
  const find = async (slug: string, hostname = 'acme.localhost') => cache.find(hostname, slug, summary);
  for (let i = 0; i < 5; i += 1) await t.rejects(find('nobody'), { code: 'notFound' });
  t.equal(queries(), 2 * ofOne);
  for (const slug of ['', 'ACME', 'a b', 'a'.repeat(64), '../acme']) {
    await t.rejects(find(slug), { code: 'notFound' });
  }
  await t.rejects(find('acme', 'a'.repeat(300)), { code: 'notFound' });
  t.equal(queries(), 2 * ofOne);
  t.equal(cache.size().values, 1);
  await makePage(stores.sql, { slug: 'nobody', hostname: 'nobody.localhost' });
  await stores.sql`update pages set hostname = 'renamed.localhost' where id = ${other.id}`;
  t.teardown(() => stores.sql`update pages set hostname = 'other.localhost' where id = ${other.id}`);
  await t.rejects(find('other', 'other.localhost'));
  clock.advance(6_000);
  t.ok(await find('nobody', 'nobody.localhost'), 'a new page is there at once');
});

t.test('every encoding holds the same text', async (t) => {
  const text = JSON.stringify({ text: 'Grüße, '.repeat(500) });
  const { cache, variant } = makeCache({ text: () => text });
  const { identity, gzip, br } = await cache.find('acme.localhost', 'acme', variant('summary'));
  t.equal(identity.bytes.toString(), text);
  t.equal(gunzipSync(gzip.bytes).toString(), text);
  t.equal(brotliDecompressSync(br.bytes).toString(), text);
  t.ok(br.bytes.length < identity.bytes.length && gzip.bytes.length < identity.bytes.length);
  for (const [name, { whole, bytes, etag }] of Object.entries({ identity, gzip, br })) {
    const pairs = whole.headers.flatMap((header, i) => (i % 2 === 0 ? [[header, whole.headers[i + 1]]] : []));
    t.match(Object.fromEntries(pairs), {
      'content-length': `${bytes.length}`,
      etag,
      vary: 'Accept-Encoding',
    });
    t.equal(whole.headers.includes(name), name !== 'identity', name);
  }
  t.equal(new Set([identity.etag, gzip.etag, br.etag]).size, 3);
});

t.test('the encoding that Accept-Encoding weighs highest', async (t) => {
  const cases: [header: string | undefined, encoding: string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['br ; q=0.5 , gzip;q=0.5', 'br'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0.001', 'gzip'],
    ['identity;q=0.5, gzip;q=0.4', 'identity'],
    ['identity, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['*;q=0.3, br;q=0', 'gzip'],
    ['identity;q=0, *;q=0', 'identity'],
    ['deflate', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=abc', 'identity'],
    [',,;q=1,', 'identity'],
  ];
  for (const [header, encoding] of cases) t.equal(negotiateEncoding(header), encoding, String(header));
});

t.test('over HTTP', async (t) => {
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
  const routes = publicRoutes({
    ...deps,
    clickhouse: clickhouse as ClickHouseClient, // The routes only read with it.
    readOrigin: createOriginReader([]),
    baseUrl: () => 'http://localhost/',
  });
  const keys = createKeyCache({ ...deps, sql: stores.sql });
  const log = keepLines();
  const shared = { routes, metrics: createMetrics(), log: log.log };
  const app = createApp({ ...shared, keys, bodyTimeoutMs: 1_000 });
  const server = createServer(answerReadyFirst(shared, app.callback()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await insertMonitor(stores.sql, page.id);
  const ask = (query: string, headers: Record<string, string> = {}) =>
    requestAt(url, 'acme.localhost', `/api/public/acme/summary${query}`, { headers });
  const asked = () => counting.count() + storeQueries;

  t.test('what a client may make up neither asks a store nor changes the answer', async (t) => {
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

  t.test('each include is built once, whatever stands around it', async (t) => {
    await ask('?include=coverage');
    const before = asked();
    for (let i = 0; i < 20; i += 1) await ask(`?a=${i}&include=coverage&b=${i}`);
    t.equal(asked(), before);
    await ask('?include=response-time');
    t.ok(asked() > before);
  });

  t.test(
    'an answer from memory is that of the application, with its request id, metrics and log',
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

  t.test('a refused include asks no store', async (t) => {
    const before = asked();
    for (let i = 0; i < 20; i += 1) t.equal((await ask(`?include=x${i}`)).status, 400);
    t.equal(asked(), before);
  });

  t.test('after 30 s it says what is the case by then', async (t) => {
    const read = async () =>
      ((await ask('')).body as { services: { status: string }[] }).services.map(({ status }) => status);
    t.strictSame(await read(), ['up']);
    await stores.sql`update monitors set state = 'down' where page_id = ${page.id}`;
    t.strictSame(await read(), ['up']);
    clock.advance(31_000);
    t.strictSame(await read(), ['down']);
  });
});
