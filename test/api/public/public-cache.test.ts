import t from 'tap';
import { createPublicCache, type PublicCache, type Variant } from '../../../api/public/public-cache.js';
import { publicLoadLimits } from '../../../api/public/public-loads.js';
import type { Representation } from '../../../api/public/representation.js';
import type { PageId } from '../../../lib/ids.js';
import { postgresConnections } from '../../../service/stores.js';
import { captureLog } from '../../support/capture-log.js';
import { countingSql } from '../../support/counting-sql.js';
import { stopTime } from '../../support/fake-time.js';
import { likeServiceError } from '../../support/like-service-error.js';
import type { MovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

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
  let shed = 0;
  const onShed = () => {
    shed += 1;
  };
  const cache = createPublicCache({ ...options, sql: counting.sql, clock, log: captured.log, onShed });
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
  return { cache, clock, builds, state, queries: counting.count, log: captured, variant, shed: () => shed };
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

t.test('a build that failed once, long ago, makes no reader get the older representation', async (t) => {
  const { cache, clock, state, variant } = makeCache();
  await find(cache, variant('summary'));
  clock.advance(31_000);
  state.failing = true;
  const older = textOf(await find(cache, variant('summary')));
  state.failing = false;
  clock.advance(60_000);
  t.not(textOf(await find(cache, variant('summary'))), older);
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

/** A gate that holds every build until it is opened. */
function holdBuilds(state: { gate: Promise<void> }): () => void {
  let open = () => {};
  state.gate = new Promise((resolve) => {
    open = resolve;
  });
  return open;
}

const { loadsPerKind, figuresPerPage, fewPerPage, manyPerPage, waitingPerPageAndKind } = publicLoadLimits;

t.test('a page has a bounded number of builds, which leaves room for other pages', async (t) => {
  const ofPage = figuresPerPage + fewPerPage + manyPerPage;
  t.ok(ofPage < postgresConnections.public, 'also when each waits for PostgreSQL');
  const { cache, builds, state, log, shed, variant } = makeCache();
  const own = await cache.findPage('acme.localhost');
  const older = variant('older');
  const first = await readText(cache, older);
  const begun = builds.length;
  const open = holdBuilds(state);
  const asked = manyPerPage + waitingPerPageAndKind + 100;
  const flood = Promise.allSettled(
    Array.from({ length: asked }, (_, i) => cache.find(own, { ...variant(`month ${i}`), oneOfMany: true })),
  );
  await waitUntil('the builds have begun', () => builds.length === begun + manyPerPage);
  const ofOther = readText(cache, variant('summary'), 'other');
  const ofSamePage = readText(cache, variant('summary'));
  await waitUntil('others build', () => builds.length === begun + manyPerPage + 2);
  t.equal(await readText(cache, older), first, 'what memory has needs no build');
  open();
  t.match(await ofOther, `summary of ${other.id}`);
  t.match(await ofSamePage, /^summary of /, 'what a client cannot make up has builds of its own');
  const refused = (await flood).filter((one) => one.status === 'rejected');
  t.equal(refused.length, 100);
  for (const one of refused) {
    t.match(one.reason, { kind: 'overloaded', retryAfterSeconds: 2 });
    t.equal(one.reason.cause, undefined, 'no line of its own in the log');
  }
  t.equal(shed(), 100);
  t.equal(log.text().match(/Public reads were refused/g)?.length, 1);
  t.notMatch(log.text(), /stack/);
});

t.test('figures that wait for ClickHouse hold up no build that needs PostgreSQL alone', async (t) => {
  const { cache, builds, state, variant } = makeCache();
  const own = await cache.findPage('acme.localhost');
  const open = holdBuilds(state);
  const figures = Array.from({ length: figuresPerPage + 1 }, (_, i) =>
    cache.find(own, { ...variant(`figures ${i}`), hasFigures: true }),
  );
  await waitUntil('the figures are built', () => builds.length === figuresPerPage);
  const ledger = cache.find(own, variant('ledger'));
  await waitUntil('the ledger is built', () => builds.length === figuresPerPage + 1);
  t.match(builds.at(-1), /^ledger/);
  open();
  await Promise.all([...figures, ledger]);
});

t.test('no more builds run in all than may, and pages take turns', async (t) => {
  const pages = await Promise.all(
    Array.from({ length: loadsPerKind / fewPerPage }, (_, i) => makePage(stores.sql, { slug: `busy-${i}` })),
  );
  const { cache, builds, state, variant } = makeCache();
  const places = await Promise.all(pages.map(({ slug }) => cache.findPage(`${slug}.localhost`)));
  const quiet = await cache.findPage('acme.localhost');
  const open = holdBuilds(state);
  const flood = places.flatMap((place) =>
    // Few enough that none waits for longer than a load may wait for its place.
    Array.from({ length: 3 * fewPerPage }, (_, i) => cache.find(place, variant(`busy ${i}`))),
  );
  await waitUntil('all places are taken', () => builds.length === loadsPerKind);
  const found = cache.find(quiet, variant('quiet'));
  await new Promise(setImmediate);
  t.equal(builds.length, loadsPerKind);
  open();
  await found;
  const place = builds.findIndex((one) => one.startsWith('quiet'));
  t.ok(
    place <= loadsPerKind + 1,
    `it was number ${place} of ${flood.length}: before what waited for busy pages`,
  );
  await Promise.all(flood);
});

t.test('a shed read gets the older representation', async (t) => {
  const { cache, clock, state, shed, log, variant } = makeCache();
  const own = await cache.findPage('acme.localhost');
  const names = Array.from({ length: fewPerPage + waitingPerPageAndKind }, (_, i) => `busy ${i}`);
  const first = await readText(cache, variant('summary'));
  clock.advance(31_000);
  const open = holdBuilds(state);
  await cache.findPage('acme.localhost');
  const flood = names.map((name) => cache.find(own, variant(name)));
  t.equal(await readText(cache, variant('summary')), first);
  t.equal(shed(), 1);
  t.notMatch(log.text(), /could not be loaded/);
  open();
  await Promise.all(flood);
});

t.test('what a page does not have is remembered briefly, and forgotten with a change', async (t) => {
  const { cache, clock, state, builds, variant } = makeCache();
  const own = await cache.findPage('acme.localhost');
  state.gone = true;
  const missing = variant('incident 1');
  for (let i = 0; i < 5; i += 1) t.equal(await cache.find(own, missing), undefined);
  t.equal(builds.length, 1);
  clock.advance(5_000);
  t.equal(await cache.find(own, missing), undefined);
  t.equal(builds.length, 2, 'for 5 s');
  state.gone = false;
  clock.advance(1);
  cache.expire(own.id);
  clock.advance(1);
  t.ok(await cache.find(own, missing), 'a change shows at once');
});

t.test('a thing that does not exist takes no place of the builds', async (t) => {
  const { cache, builds, state, variant } = makeCache();
  const own = await cache.findPage('acme.localhost');
  const open = holdBuilds(state);
  const flood = Array.from({ length: fewPerPage + waitingPerPageAndKind }, (_, i) =>
    cache.find(own, variant(`busy ${i}`)),
  );
  const absent = { ...variant('absent'), exists: async () => false };
  t.equal(await cache.find(own, absent), undefined);
  open();
  await Promise.all(flood);
  t.notMatch(builds.join(), /absent/);
});

t.test('1,000 made-up hosts cost a few queries, and a page among them is found', async (t) => {
  const { cache, queries } = makeCache();
  const flood = Promise.allSettled(
    Array.from({ length: 1_000 }, (_, i) => cache.findPage(`host-${i}.localhost`)),
  );
  t.equal((await cache.findPage('acme.localhost')).slug, 'acme');
  const unknown = (await flood).filter((one) => one.status === 'rejected');
  t.equal(unknown.length, 1_000);
  // A query counts its fragments, too.
  t.ok(queries() < 20, `${queries()} queries`);
});

t.test('while a build fails, a flood of readers makes one line in the log', async (t) => {
  const { cache, state, log, variant } = makeCache();
  state.failing = true;
  const reads = Array.from({ length: 100 }, () => readText(cache, variant('summary')));
  await Promise.allSettled(reads);
  t.equal(log.text().match(/could not be loaded/g)?.length, 1);
});
