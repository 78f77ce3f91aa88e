import t from 'tap';
import { createNameRegistry } from '../../../ingest/names/name-registry.js';
import { systemClock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { countingSql } from '../../support/counting-sql.js';
import { countNames, fillNames, type NameCounts } from '../../support/fill-names.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
let pages = 0;

async function pageWith(counts: NameCounts): Promise<PageId> {
  pages += 1;
  const { id } = await makePage(sql, { slug: `page-${pages}` });
  await fillNames(sql, id, counts);
  return id;
}

/** An instance of the service that has just started; counts what it asks PostgreSQL. */
function start(clock = systemClock) {
  const counting = countingSql(sql);
  const registry = createNameRegistry({ sql: counting.sql, clock });
  return {
    asked: counting.count,
    reporter: (pageId: PageId, reporterId: string) =>
      registry.reporter(pageId, { reporterId, englishName: 'A reporter' }),
    async register(pageId: PageId, wanted: { endpoints?: string[]; services?: string[] }): Promise<string[]> {
      const names = registry.names(pageId);
      const { endpoints = [], services = [] } = wanted;
      await registry.register(names, { endpoints: new Set(endpoints), services: new Set(services) });
      return [
        ...endpoints.filter((text) => names.endpoints.has(text)),
        ...services.filter((text) => names.services.has(text)),
      ];
    },
  };
}

const endpointsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => `/${prefix}/${i}`);

t.test('names are granted and stored once, and cost no query from then on', async (t) => {
  const pageId = await pageWith({});
  const instance = start();
  t.strictSame(await instance.register(pageId, { endpoints: ['/a', '/b'], services: ['shop'] }), [
    '/a',
    '/b',
    'shop',
  ]);
  t.match(await countNames(sql, pageId), { endpoints: 2, sources: 1, kept_endpoints: 2, kept_sources: 1 });
  t.ok(await instance.reporter(pageId, 'w1'));
  const asked = instance.asked();
  t.ok(await instance.reporter(pageId, 'w1'));
  t.equal(instance.asked(), asked);
  const restarted = start();
  t.strictSame(await restarted.register(pageId, { endpoints: ['/b', '/c'] }), ['/b', '/c']);
  t.ok(await restarted.reporter(pageId, 'w1'));
  t.match(await countNames(sql, pageId), { endpoints: 3, sources: 2, kept_endpoints: 3, kept_sources: 2 });
});

t.test('a service and a reporter of the same name are two', async (t) => {
  const pageId = await pageWith({});
  const instance = start();
  await instance.register(pageId, { services: ['same'] });
  const reporter = await instance.reporter(pageId, 'same');
  t.match(reporter, { kind: 'reporter', text: 'same' });
  t.match(await countNames(sql, pageId), { sources: 2, kept_sources: 2 });
});

t.test('endpoints: the page takes 25,000, and in one batch the first ones that fit', async (t) => {
  const pageId = await pageWith({ endpoints: 24_998 });
  const instance = start();
  t.strictSame(await instance.register(pageId, { endpoints: ['/a', '/b', '/c'] }), ['/a', '/b']);
  t.match(await countNames(sql, pageId), { endpoints: 25_000, kept_endpoints: 25_000 });
  const asked = instance.asked();
  t.strictSame(await instance.register(pageId, { endpoints: ['/d', '/known/1', '/known/24998'] }), [
    '/known/1',
    '/known/24998',
  ]);
  t.equal(instance.asked(), asked, 'a full page is refused from memory');
  t.strictSame(await start().register(pageId, { endpoints: ['/a', '/d', '/known/7'] }), ['/a', '/known/7']);
});

t.test('sources: services and reporters share 2,000', async (t) => {
  const pageId = await pageWith({ services: 1_000, reporters: 999 });
  const instance = start();
  t.strictSame(await instance.register(pageId, { services: ['last', 'late'] }), ['last']);
  t.equal(await instance.reporter(pageId, 'late'), undefined);
  t.match(await countNames(sql, pageId), { sources: 2_000, kept_sources: 2_000 });
});

t.test('a known reporter or service is never refused, whatever was refused before', async (t) => {
  const pageId = await pageWith({ services: 1_000, reporters: 1_000 });
  const first = start();
  t.strictSame(await first.register(pageId, { services: ['new'] }), []);
  t.ok(await first.reporter(pageId, 'reporter-1'), 'a reporter after a refused service');
  t.equal(await first.reporter(pageId, 'new'), undefined);
  t.ok(await first.reporter(pageId, 'reporter-2'), 'a reporter after a refused reporter');

  const second = start();
  t.equal(await second.reporter(pageId, 'new'), undefined);
  const asked = second.asked();
  t.equal(await second.reporter(pageId, 'newer'), undefined);
  t.equal(second.asked(), asked, 'the next refusal costs no query');
  t.ok(await second.reporter(pageId, 'reporter-1000'));
  t.strictSame(await second.register(pageId, { services: ['service-1', 'new'] }), ['service-1']);
});

t.test('a page that has room again takes new names after half a minute', async (t) => {
  const pageId = await pageWith({ endpoints: 25_000, services: 2_000 });
  const clock = makeMovingClock();
  const instance = start(clock);
  const attempt = async () => [
    ...(await instance.register(pageId, { endpoints: ['/new'], services: ['new'] })),
    (await instance.reporter(pageId, 'w1'))?.text,
  ];
  t.strictSame(await attempt(), [undefined]);
  await sql`DELETE FROM endpoints WHERE page_id = ${pageId} AND endpoint = '/known/1'`;
  await sql`DELETE FROM sources WHERE page_id = ${pageId} AND source IN ('service-1', 'service-2')`;
  await sql`UPDATE page_name_counts SET endpoints = 24999, sources = 1998 WHERE page_id = ${pageId}`;
  t.strictSame(await attempt(), [undefined]);
  clock.advance(30_001);
  t.strictSame(await attempt(), ['/new', 'new', 'w1']);
});

t.test('instances that register at the same moment never exceed a limit, and agree', async (t) => {
  const pageId = await pageWith({ endpoints: 24_900, services: 1_980 });
  const instances = [start(), start(), start()];
  const granted = await Promise.all(
    instances.flatMap((instance, i) => [
      instance.register(pageId, { endpoints: endpointsOf(`own-${i}`, 60), services: [`s${i}a`, `s${i}b`] }),
      instance.register(pageId, { endpoints: endpointsOf('shared', 60), services: ['shared'] }),
      ...Array.from({ length: 10 }, (_, n) =>
        instance.reporter(pageId, `r${i}-${n}`).then((source) => (source === undefined ? [] : [source.text])),
      ),
    ]),
  );
  t.match(await countNames(sql, pageId), {
    endpoints: 25_000,
    sources: 2_000,
    kept_endpoints: 25_000,
    kept_sources: 2_000,
  });
  const names = new Set(granted.flat());
  t.equal(names.size, 100 + 20, 'what was granted is what is stored');
});

t.test('a reporter with new metadata is updated; one instance, many calls at once', async (t) => {
  const pageId = await pageWith({});
  const registry = createNameRegistry({ sql, clock: systemClock });
  const describe = async () =>
    (
      await sql`SELECT name, region, team, expected_every_seconds AS every FROM sources WHERE page_id = ${pageId}`
    )[0];
  await Promise.all(
    Array.from({ length: 20 }, () => registry.reporter(pageId, { reporterId: 'w', englishName: 'One' })),
  );
  t.strictSame({ ...(await describe()) }, { name: 'One', region: null, team: null, every: null });
  await registry.reporter(pageId, {
    reporterId: 'w',
    englishName: 'Two',
    region: 'eu',
    team: 'core',
    expectedEverySeconds: 30,
  });
  t.strictSame({ ...(await describe()) }, { name: 'Two', region: 'eu', team: 'core', every: 30 });
  await registry.reporter(pageId, { reporterId: 'w', englishName: 'Two' });
  t.strictSame({ ...(await describe()) }, { name: 'Two', region: null, team: null, every: null });
  t.match(await countNames(sql, pageId), { sources: 1, kept_sources: 1 });
});

t.test('however many change their metadata at once, the newest ones are stored together', async (t) => {
  const pageId = await pageWith({ reporters: 10 });
  const counting = countingSql(sql);
  const registry = createNameRegistry({ sql: counting.sql, clock: systemClock });
  const change = (reporterId: string, englishName: string) =>
    registry.reporter(pageId, { reporterId, englishName });
  const nameOf = async (reporterId: string) => {
    const [row] = await sql<{ name: string }[]>`
      SELECT name FROM sources WHERE page_id = ${pageId} AND source = ${reporterId}`;
    return row?.name;
  };
  await change('reporter-1', 'Before');
  const costOfOne = counting.count();
  const changes = Array.from({ length: 5_000 }, (_, i) => change(`reporter-${1 + (i % 10)}`, `Name ${i}`));
  const sources = await Promise.all(changes);
  t.ok(
    sources.every((source, i) => source?.text === `reporter-${1 + (i % 10)}`),
    'each call has its reporter',
  );
  t.equal(counting.count(), 2 * costOfOne, 'all cost what one costs');
  t.equal(await nameOf('reporter-1'), 'Name 4990', 'the newest is stored');
  t.equal(await nameOf('reporter-10'), 'Name 4999');

  const asked = counting.count();
  t.ok(await change('reporter-10', 'Name 4999'));
  t.equal(counting.count(), asked, 'and known');
});

t.test('known, new and refused reporters that come together get their own answers', async (t) => {
  const pageId = await pageWith({ services: 1_000, reporters: 998 });
  const instance = start();
  const ids = ['new-1', 'reporter-1', 'new-2', 'new-3', 'reporter-998', 'new-4', 'new-1'];
  const sources = await Promise.all(ids.map((id) => instance.reporter(pageId, id)));
  t.strictSame(
    sources.map((source) => source?.text),
    ['new-1', 'reporter-1', 'new-2', undefined, 'reporter-998', undefined, 'new-1'],
  );
  t.match(await countNames(sql, pageId), { sources: 2_000, kept_sources: 2_000 });
  const asked = instance.asked();
  t.equal(await instance.reporter(pageId, 'new-5'), undefined);
  t.equal(instance.asked(), asked, 'the page is full');
  t.ok(await instance.reporter(pageId, 'reporter-2'));
});
