import t from 'tap';
import { createPublicCache, type PublicCache, type Variant } from '../../../api/public/public-cache.js';
import type { Representation } from '../../../api/public/representation.js';
import type { PageId } from '../../../lib/ids.js';
import { captureLog } from '../../support/capture-log.js';
import { countingSql } from '../../support/counting-sql.js';
import { stopTime } from '../../support/fake-time.js';
import { likeServiceError } from '../../support/like-service-error.js';
import type { MovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const stores = await openTestPostgres(t);
const page = await makePage(stores.sql);
const other = await makePage(stores.sql, { slug: 'other' });
const kind = { contentType: 'text/plain', cacheControl: 'public' };

/** A clock that moves only on `advance`. */
function makeStandingClock(): MovingClock {
  let now = Date.UTC(2026, 0, 31, 12);
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

/** A cache whose variants count how often they are built, and fail or wait on demand. */
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
      if (state.failing) throw new Error('The store is unavailable.');
      return state.gone ? undefined : (options.text?.(pageId) ?? `${name} of ${pageId}, ${builds.length}`);
    },
  });
  return { cache, clock, builds, state, queries: counting.count, log: captured, variant };
}

const textOf = ({ identity }: Representation) => identity.bytes.toString();
const find = async (cache: PublicCache, variant: Variant, slug = 'acme') => {
  const found = await cache.find(await cache.findPage(`${slug}.localhost`), variant);
  if (found === undefined) throw new Error('There is none.');
  return found;
};
const readText = async (cache: PublicCache, variant: Variant, slug = 'acme') =>
  textOf(await find(cache, variant, slug));

t.test('50 reads at once cause one build, and the queries of one read', async (t) => {
  const alone = makeCache();
  await readText(alone.cache, alone.variant('summary'));
  const { cache, builds, queries, variant } = makeCache();
  const summary = variant('summary');
  const found = await Promise.all(Array.from({ length: 50 }, () => find(cache, summary)));
  t.equal(builds.length, 1);
  t.equal(queries(), alone.queries());
  t.equal(new Set(found).size, 1);
});

t.test('a read of what memory has causes no query and no build', async (t) => {
  const { cache, builds, queries, variant } = makeCache();
  const summary = variant('summary');
  const first = await find(cache, summary);
  const asked = queries();
  for (let i = 0; i < 100; i += 1) {
    const known = cache.peekPage('acme.localhost');
    t.equal(known && cache.peek(known, summary), first);
    t.equal(await find(cache, summary), first);
  }
  t.equal(queries(), asked);
  t.equal(builds.length, 1);
});

t.test('the first read after 30 s builds it again, once', async (t) => {
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
  t.equal(builds.length, 3, 'even after the clock is put back');
});

t.test('each page and each variant has its own entry', async (t) => {
  const { cache, builds, variant } = makeCache();
  const [plain, coverage] = [variant('plain'), variant('coverage')];
  t.equal(await readText(cache, plain), `plain of ${page.id}, 1`);
  t.equal(await readText(cache, coverage), `coverage of ${page.id}, 2`);
  t.equal(await readText(cache, plain, 'other'), `plain of ${other.id}, 3`);
  t.equal(await readText(cache, plain), `plain of ${page.id}, 1`);
  t.equal(builds.length, 3);
  t.equal(cache.size().values, 3);
});

t.test('the bytes in memory stay below the bound', async (t) => {
  const pages = await Promise.all(
    Array.from({ length: 20 }, (_, i) => makePage(stores.sql, { slug: `many-${i}` })),
  );
  // Compressing saves nothing on these letters, so each text takes about three times its length.
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
  t.equal(builds.length, 20, 'the newest stays');
  await readText(cache, summary, 'many-0');
  t.equal(builds.length, 21, 'the oldest is gone');
  const tooLarge = makeCache({ bytesMax: 1_000, text });
  for (let i = 0; i < 2; i += 1) {
    t.equal(await readText(tooLarge.cache, tooLarge.variant('summary')), text(page.id));
  }
  t.equal(tooLarge.cache.size().values, 0, 'a text above the bound is served and not kept');
});

t.test('while a build fails, the older representation is served for ten minutes', async (t) => {
  const { cache, clock, builds, state, log, variant } = makeCache();
  const summary = variant('summary');
  const first = await readText(cache, summary);
  state.failing = true;
  clock.advance(31_000);
  t.equal(await readText(cache, summary), first);
  t.match(log.text(), /an older one is served/);
  t.match(log.text(), /The store is unavailable/);
  await readText(cache, summary);
  t.equal(builds.length, 2, 'no retry at once');
  clock.advance(3_000);
  await readText(cache, summary);
  t.equal(builds.length, 3, 'but a retry soon');
  clock.advance(560_000);
  t.equal(await readText(cache, summary), first);
  clock.advance(10_000);
  await t.rejects(readText(cache, summary), likeServiceError('storeUnavailable', { retryAfterSeconds: 2 }));
  state.failing = false;
  t.equal(await readText(cache, summary), `summary of ${page.id}, ${builds.length}`);
});

t.test('a store that hangs delays no reader for long while there is an older representation', async (t) => {
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

t.test('503 without an older representation; the next read tries again', async (t) => {
  const { cache, state, builds, variant } = makeCache();
  state.failing = true;
  const summary = variant('summary');
  await t.rejects(readText(cache, summary), likeServiceError('storeUnavailable'));
  state.failing = false;
  await readText(cache, summary);
  t.equal(builds.length, 2);
});

t.test('404 for a deleted page, not its older representation', async (t) => {
  const { cache, clock, state, variant } = makeCache();
  const summary = variant('summary');
  await readText(cache, summary);
  state.gone = true;
  clock.advance(31_000);
  t.equal(await cache.find(await cache.findPage('acme.localhost'), summary), undefined);
  t.equal(cache.size().values, 0);
});

t.test('a page that moves to another host leaves the old one within 30 s', async (t) => {
  const moving = await makePage(stores.sql, { slug: 'moving' });
  const { cache, clock, variant } = makeCache();
  const summary = variant('summary');
  await readText(cache, summary, 'moving');
  await stores.sql`update pages set hostname = 'moved.localhost' where id = ${moving.id}`;
  clock.advance(31_000);
  await t.rejects(readText(cache, summary, 'moving'), likeServiceError('notFound'));
  t.match(await readText(cache, summary, 'moved'), moving.id);
});

t.test('a change makes the next read build again, and serve the older one while that fails', async (t) => {
  const { cache, clock, builds, state, variant } = makeCache();
  const summary = variant('summary');
  const first = await readText(cache, summary);
  await readText(cache, summary, 'other');
  clock.advance(1_000);
  cache.expire(page.id);
  clock.advance(1);
  const second = await readText(cache, summary);
  t.not(second, first);
  t.equal(await readText(cache, summary), second, 'once');
  await readText(cache, summary, 'other');
  t.equal(builds.length, 3, 'and nothing of another page');
  cache.expire(page.id);
  state.failing = true;
  t.equal(await readText(cache, summary), second);
});

t.test('a build that runs during a change does not answer the reads after it', async (t) => {
  const { cache, clock, builds, state, variant } = makeCache();
  const summary = variant('summary');
  let open = () => {};
  state.gate = new Promise((resolve) => {
    open = resolve;
  });
  const before = readText(cache, summary);
  while (builds.length === 0) await new Promise(setImmediate);
  cache.expire(page.id);
  clock.advance(1);
  const after = [readText(cache, summary), readText(cache, summary)];
  while (builds.length === 1) await new Promise(setImmediate);
  open();
  await Promise.all([before, ...after]);
  t.equal(builds.length, 2);
});

t.test('a host without a page causes a query once in a while, an invalid host none', async (t) => {
  const { cache, clock, queries } = makeCache();
  await cache.findPage('acme.localhost');
  const ofOne = queries();
  const find = (hostname: string) => cache.findPage(hostname);
  for (let i = 0; i < 5; i += 1) await t.rejects(find('nobody.localhost'), likeServiceError('notFound'));
  t.equal(queries(), 2 * ofOne);
  for (const hostname of ['', 'a'.repeat(300)]) await t.rejects(find(hostname), likeServiceError('notFound'));
  t.equal(queries(), 2 * ofOne);
  await makePage(stores.sql, { slug: 'nobody' });
  await stores.sql`update pages set hostname = 'renamed.localhost' where id = ${other.id}`;
  t.teardown(() => stores.sql`update pages set hostname = 'other.localhost' where id = ${other.id}`);
  await t.rejects(find('other.localhost'));
  clock.advance(6_000);
  t.equal((await find('nobody.localhost')).slug, 'nobody', 'a new page appears soon');
});
