import t from 'tap';
import { judgeReporting } from '../../analytics/judge-reporter.js';
import { loadReporters, loadReportersOf } from '../../analytics/reporters.js';
import type { ReporterHealth } from '../../contract/analytics/reporters.js';
import { countingSql } from '../support/counting-sql.js';
import { answer as answering, startHostileStore } from '../support/hostile-store.js';
import { likeServiceError } from '../support/like-service-error.js';
import { openOwn } from '../support/own-store.js';
import { makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';
import { insertReports, insertRequests, newPageId } from './support.js';

const { sql, clickhouse } = await openStores(t);
const { id: page } = await makePage(sql);
const now = Math.floor(Date.now() / 60_000) * 60_000;
const ago = (seconds: number): number => now - seconds * 1000;
const every = (seconds: number, from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => ago(from + i * seconds));

await sql`
  insert into sources (page_id, kind, source, name, region, team, expected_every_seconds, first_seen_at)
  select ${page}, kind, source, name, region, team, expected, ${new Date(ago(3_600))} from (values
    ('reporter', 'fast', 'Fast one', 'eu', 'core', 15),
    ('reporter', 'tardy', 'Tardy one', null, null, 15),
    ('reporter', 'gone', 'Gone one', null, null, 15),
    ('reporter', 'never', 'Never called', null, null, null),
    ('service', 'hourly', null, null, null, null),
    ('service', 'daily', null, null, null, null),
    ('service', 'busy', null, null, null, null),
    ('service', 'once', null, null, null, null),
    ('reporter', 'steady', 'Steady', null, null, null)
  ) as given (kind, source, name, region, team, expected)
`;
await sql`
  insert into sources (page_id, kind, source, name, expected_every_seconds, first_seen_at)
  values (${page}, 'reporter', 'newborn', 'Newborn', 15, ${new Date(ago(310))})`;
await insertReports(clickhouse, page, { kind: 'reporter', service: 'fast' }, [ago(30)]);
await insertReports(clickhouse, page, { kind: 'reporter', service: 'tardy' }, [ago(75)]);
await insertReports(clickhouse, page, { kind: 'reporter', service: 'gone' }, [ago(2 * 86_400)]);
await insertReports(clickhouse, page, { kind: 'service', service: 'hourly' }, every(3_600, 5_000, 6));
await insertReports(clickhouse, page, { kind: 'service', service: 'daily' }, every(86_400, 90_000, 4));
await insertReports(clickhouse, page, { kind: 'service', service: 'busy' }, every(60, 301, 30));
await insertReports(clickhouse, page, { kind: 'service', service: 'broken' }, [ago(10)]);
await insertReports(clickhouse, page, { kind: 'service', service: 'once' }, [ago(7_000)]);
await insertReports(clickhouse, page, { kind: 'reporter', service: 'steady' }, every(120, 700, 5));
await insertReports(clickhouse, page, { kind: 'reporter', service: 'newborn' }, [ago(300)]);
await insertRequests(clickhouse, page, [
  { service: 'broken', at: ago(60), requests: 150 },
  { service: 'broken', at: ago(60), status: 500, requests: 50 },
  { service: 'busy', at: ago(7_200), status: 500, requests: 1 },
  { service: 'busy', at: ago(600), status: 404, requests: 10 },
]);
await insertReports(clickhouse, newPageId(), { kind: 'service', service: 'theirs' }, [ago(10)]);

const fiveMinutes = (from: number): number[] => every(60, from, 5);
const byName = (a: readonly unknown[], b: readonly unknown[]): number => (`${a}` < `${b}` ? -1 : 1);

const deps = { sql, clickhouse, clock: { now: () => now } };
const answer = await loadReporters(deps, page, { windowSeconds: 3_600 });
const find = (id: string): ReporterHealth | undefined => answer.reporters.find((one) => one.id === id);

t.test('lists every source once, the worst first', async (t) => {
  t.equal(answer.window, 3_600);
  t.same(
    answer.reporters.map(({ id, state }) => [id, state]),
    [
      ['broken', 'failing'],
      ['never', 'silent'],
      ['gone', 'silent'],
      ['once', 'silent'],
      ['steady', 'silent'],
      ['busy', 'silent'],
      ['newborn', 'silent'],
      ['tardy', 'late'],
      ['daily', 'clean'],
      ['hourly', 'clean'],
      ['fast', 'clean'],
    ],
  );
});

t.test('gives figures and the metadata of a reporter', async (t) => {
  t.same(find('broken'), {
    id: 'broken',
    name: 'broken',
    kind: 'service',
    state: 'failing',
    reporting: 'clean',
    thin: false,
    requests: 200,
    errors: 50,
    failureRate: 0.25,
    lastReportAt: new Date(ago(10)).toISOString(),
    ageSeconds: 10,
    expectedEverySeconds: null,
    region: null,
    team: null,
  });
  t.match(find('fast'), {
    name: 'Fast one',
    kind: 'reporter',
    thin: true,
    requests: 0,
    failureRate: null,
    expectedEverySeconds: 15,
    region: 'eu',
    team: 'core',
  });
  t.match(find('never'), { lastReportAt: null, ageSeconds: null });
});

t.test('a failure outside the window does not count', async (t) => {
  t.match(find('busy'), { requests: 10, errors: 0 });
  const wide = await loadReporters(deps, page, { windowSeconds: 14_400 });
  t.match(
    wide.reporters.find(({ id }) => id === 'busy'),
    { state: 'failing', reporting: 'silent', requests: 11, errors: 1 },
    'it has failed, and is silent all the same',
  );
});

t.test('silence needs a promise or a rhythm, and ten minutes of life', (t) => {
  t.same(Object.fromEntries(answer.reporters.map(({ id, reporting }) => [id, reporting])), {
    ...{ broken: 'clean', fast: 'clean', hourly: 'clean', gone: 'silent', busy: 'silent', steady: 'silent' },
    ...{ tardy: 'late', newborn: 'unknown', never: 'unknown', once: 'unknown', daily: 'unknown' },
  });
  const seconds = 1_000;
  const judged = (fields: object) =>
    judgeReporting({
      ...{ ageMs: 301 * seconds, promisedSeconds: undefined, rhythm: undefined, hasStopped: false },
      lifeMs: 600 * seconds,
      ...fields,
    });
  t.same(
    [
      judged({ promisedSeconds: 60 }),
      judged({ promisedSeconds: 60, ageMs: 300 * seconds }),
      judged({ promisedSeconds: 60, ageMs: 120 * seconds }),
      judged({ promisedSeconds: 60, lifeMs: 600 * seconds - 1 }),
      judged({ rhythm: { gapSeconds: 60, minutes: 5 } }),
      judged({ rhythm: { gapSeconds: 60, minutes: 4 } }),
      judged({}),
      judged({ ageMs: 120 * seconds }),
      judged({ ageMs: undefined, promisedSeconds: 60 }),
    ],
    ['silent', 'late', 'clean', 'unknown', 'silent', 'unknown', 'unknown', 'clean', 'silent'],
  );
  t.end();
});

t.test(
  'a service is as late as the least late of the reporters that name it, and each is for itself',
  async (t) => {
    const { id: joined } = await makePage(sql, { slug: 'joined' });
    const add = async (
      source: string,
      {
        service = null,
        every = null,
        calls = [],
      }: { service?: string | null; every?: number | null; calls?: number[] },
    ) => {
      const kind = service === null ? 'service' : 'reporter';
      await sql`
      insert into sources (page_id, kind, source, service, expected_every_seconds, first_seen_at)
      values (${joined}, ${kind}, ${source}, ${service}, ${every}, ${new Date(ago(3_600))})`;
      await insertReports(clickhouse, joined, { kind, service: source }, calls);
    };
    await add('search', {});
    await add('search-eu', { service: 'search', every: 300, calls: [ago(400)] });
    await add('search-us', { service: 'search', every: 60, calls: [ago(301)] });
    await add('moved', { calls: fiveMinutes(1_000) });
    await add('moved-1', { service: 'moved', every: 60, calls: [ago(30)] });
    await add('down', {});
    await add('down-1', { service: 'down', every: 60, calls: [ago(3_000)] });
    await add('down-2', { service: 'down', every: 60, calls: [ago(2_000)] });
    await add('left', {});
    await insertRequests(clickhouse, joined, [
      { service: 'search', at: ago(60), requests: 30 },
      { service: 'search', at: ago(60), status: 500, requests: 10 },
      { kind: 'reporter', service: 'moved-1', at: ago(2_000), status: 500 },
    ]);
    const { reporters } = await loadReporters(deps, joined, { windowSeconds: 3_600 });
    const told = reporters.map(({ kind, id, state, reporting, ageSeconds, requests, service, instances }) => [
      ...[kind, id, state, reporting, ageSeconds, requests],
      service ?? instances,
    ]);
    t.strictSame(told.sort(byName), [
      ['reporter', 'down-1', 'silent', 'silent', 3_000, 0, 'down'],
      ['reporter', 'down-2', 'silent', 'silent', 2_000, 0, 'down'],
      ['reporter', 'moved-1', 'failing', 'clean', 30, 1, 'moved'],
      ['reporter', 'search-eu', 'clean', 'clean', 400, 0, 'search'],
      ['reporter', 'search-us', 'silent', 'silent', 301, 0, 'search'],
      ['service', 'down', 'silent', 'silent', 2_000, 0, 2],
      ['service', 'left', 'silent', 'unknown', null, 0, undefined],
      ['service', 'moved', 'clean', 'clean', 30, 0, 1],
      ['service', 'search', 'failing', 'clean', 301, 40, 2],
    ]);
  },
);

t.test('a store of a page that fails costs PostgreSQL no query', async (t) => {
  const store = await startHostileStore(t, answering('', '', '500 Internal Server Error'));
  const counting = countingSql(sql);
  const clickhouse = openOwn(t, { url: store.url }).begin();
  const loading = loadReporters({ ...deps, sql: counting.sql, clickhouse }, page, { windowSeconds: 3_600 });
  await t.rejects(loading, likeServiceError('ownStoreUnavailable'));
  t.equal(counting.count(), 0);
});

t.test('pages that share a store are loaded together as each is alone, with as many reads', async (t) => {
  const { id: other } = await makePage(sql, { slug: 'other' });
  await sql`
    insert into sources (page_id, kind, source, name, expected_every_seconds, first_seen_at)
    values (${other}, 'reporter', 'fast', 'Slow there', 15, ${new Date(ago(3_600))}),
      (${other}, 'service', 'busy', null, null, ${new Date(ago(3_600))})`;
  await insertReports(clickhouse, other, { kind: 'reporter', service: 'fast' }, [ago(600)]);
  await insertReports(clickhouse, other, { kind: 'service', service: 'busy' }, every(300, 1_600, 10));
  await insertRequests(clickhouse, other, [{ service: 'busy', at: ago(60), requests: 7 }]);
  const reads: string[] = [];
  const reader = new Proxy(clickhouse, {
    get(target, property) {
      if (property !== 'query') return Reflect.get(target, property);
      return (asked: Parameters<typeof target.query>[0]) => {
        reads.push(asked.query);
        return target.query(asked);
      };
    },
  });
  const query = { windowSeconds: 3_600 };
  const together = await loadReportersOf({ ...deps, clickhouse: reader }, [page, other], query);
  const readsTogether = reads.length;
  const alone = await loadReporters({ ...deps, clickhouse: reader }, page, query);
  t.strictSame(together.get(page), alone.reporters);
  t.ok(readsTogether <= reads.length - readsTogether, `${readsTogether} reads`);
  const { reporters } = await loadReporters(deps, other, query);
  t.strictSame(together.get(other), reporters);
  t.match(
    reporters.map(({ id, reporting, requests }) => [id, reporting, requests]),
    [
      ['busy', 'silent', 7],
      ['fast', 'silent', 0],
    ],
  );
  t.match((await loadReportersOf(deps, [newPageId()], query)).size, 1);
});
