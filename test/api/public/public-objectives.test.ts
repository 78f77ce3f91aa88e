import t from 'tap';
import { createObjectivesOf } from '../../../api/public/public-objectives.js';
import { putObjective } from '../../../control/objectives/index.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const { sql, clickhouse } = await openStores(t);
let pages = 0;

/** The start of a month of UTC, `months` before this one: figures expire by the clock of ClickHouse. */
function monthStart(months: number): number {
  const today = new Date();
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, 1);
}

/** A page with a public objective. `store.isAway` makes each read of figures fail. */
async function open({ endpoint }: { endpoint?: string } = {}) {
  const store = { reads: 0, isAway: false };
  const clock = makeStoppedClock();
  pages += 1;
  const { id } = await makePage(sql, { slug: `page-${pages}` });
  const put = (slug: string, fields: object = {}) =>
    putObjective(
      { sql, clock, by: testActor },
      {
        ...{ pageId: id, slug, name: slug, target: 99.9, window: { days: 28 }, isPublic: true },
        sli: { requests: endpoint === undefined ? {} : { endpoint } },
        ...fields,
      },
    );
  await put('one');
  const clockwise = createObjectivesOf({
    ...{ publicSql: sql, publicClickhouse: clickhouse, clock, log: silentLog },
    pageStores: {
      clickhouseOf() {
        store.reads += 1;
        if (store.isAway) throw new Error('The store is away.');
        return clickhouse;
      },
    },
  });
  return { store, clock, put, id, objectivesOf: (timeZone = 'UTC') => clockwise({ id, timeZone }) };
}

t.test('months are read at most once in five minutes', async (t) => {
  const { store, clock, put, objectivesOf } = await open();
  const [first, second] = await Promise.all([objectivesOf(), objectivesOf()]);
  t.equal(store.reads, 1, 'reads at the same time share one');
  t.same(first, second);
  clock.advance(5 * minuteMs - 1);
  await put('one', { name: 'Another name' });
  t.match(await objectivesOf(), [{ name: 'Another name' }]);
  t.equal(store.reads, 1, 'a name needs no figure');
  clock.advance(1);
  await objectivesOf();
  t.equal(store.reads, 2);
  await put('one', { target: 99 });
  await objectivesOf();
  t.equal(store.reads, 3, 'another target has other months');
  await objectivesOf('Asia/Kathmandu');
  t.equal(store.reads, 4, 'another time zone has other months');
});

t.test('older months stand in while the store is away, for an hour', async (t) => {
  const { store, clock, id, objectivesOf } = await open();
  await insertRequests(clickhouse, id, [{ at: clock.now() - 2 * minuteMs, requests: 500 }]);
  const before = await objectivesOf();
  store.isAway = true;
  clock.advance(30 * minuteMs);
  t.same(await objectivesOf(), before);
  clock.advance(31 * minuteMs);
  t.match(await objectivesOf(), [{ name: 'one', target: 99.9, months: null }], 'name and target stay');
});

t.test('requests count in the month of the time zone of the page', async (t) => {
  const { clock, id, objectivesOf } = await open();
  const month = monthStart(1);
  clock.advance(month + 10 * dayMs - clock.now());
  // The month begins at 18:15 UTC of the day before in Kathmandu, and at 04:00 UTC in New York.
  await insertRequests(clickhouse, id, [
    { at: month - 5 * hourMs, requests: 1_000 },
    { at: month + 3 * hourMs, requests: 3_000, status: 500 },
    { at: month + 6 * hourMs, requests: 1_000 },
  ]);
  const percents = async (timeZone: string) => {
    const months = (await objectivesOf(timeZone))[0]?.months;
    return months?.slice(-2).map(({ percent }) => percent);
  };
  t.same(await percents('UTC'), [100, 25]);
  t.same(await percents('Asia/Kathmandu'), [null, 40]);
  t.same(await percents('America/New_York'), [25, 100]);
});

t.test('a month whose endpoints are not kept from its start has no figure', async (t) => {
  const { clock, id, objectivesOf } = await open({ endpoint: '/orders/:id' });
  // A hundred days before the 15th are between the 4th and the 7th, three months ago.
  clock.advance(monthStart(0) + 14 * dayMs - clock.now());
  await insertRequests(clickhouse, id, [
    { at: monthStart(3) + 20 * dayMs, requests: 1_000 },
    { at: monthStart(2) + 20 * dayMs, requests: 1_000 },
  ]);
  const months = (await objectivesOf())[0]?.months ?? [];
  t.same(
    months.slice(-4).map(({ percent, isMet }) => [percent, isMet]),
    [
      [null, null],
      [100, true],
      [null, null],
      [null, null],
    ],
  );
});

t.test('percentages are cut, so that a missed target does not look met', async (t) => {
  const cases: [good: number, target: number, expected: object][] = [
    [99_899, 99.9, { percent: 99.89, isMet: false }],
    [99_900, 99.9, { percent: 99.9, isMet: true }],
    [99_999, 99.999, { percent: 99.999, isMet: true }],
    [99_998, 99.999, { percent: 99.998, isMet: false }],
    [100_000, 99.99999, { percent: 100, isMet: true }],
  ];
  for (const [good, target, expected] of cases) {
    const { clock, id, put, objectivesOf } = await open();
    await put('one', { target });
    const at = clock.now() - 2 * minuteMs;
    await insertRequests(clickhouse, id, [
      { at, requests: good },
      ...(good < 100_000 ? [{ at, requests: 100_000 - good, status: 500 }] : []),
    ]);
    t.match(
      (await objectivesOf())[0]?.months?.findLast(({ percent }) => percent !== null),
      expected,
    );
  }
});

t.test('pages without objectives ask no store for figures', async (t) => {
  const { store, put, objectivesOf } = await open();
  await put('one', { isPublic: false });
  t.same(await objectivesOf(), []);
  t.equal(store.reads, 0);
});
