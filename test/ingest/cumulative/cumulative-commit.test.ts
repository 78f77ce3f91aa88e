import fc from 'fast-check';
import t, { type Test } from 'tap';
import { limits } from '../../../contract/limits.js';
import { pruneSeries } from '../../../ingest/cumulative/series-store.js';
import type { PageId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { removePageRows } from '../../../sql/remove-page-rows.js';
import { propertyOf } from '../../support/property.js';
import { openTestPostgres } from '../../support/stores.js';
import { clock, newPage, type Sent, startInstance as startOn, totalOf } from './support.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const startInstance = (t: Test) => startOn(t, databaseUrl);

/** Counts as the last point of each series says, in the order of arrival, without anything that makes it durable. */
class Model {
  private readonly last = new Map<string, { timeMs: number; counts: readonly number[] }>();
  private readonly newest = new Map<number, number>();
  requests = 0;

  add({ series, startMs, timeMs, counts }: Sent): void {
    const key = `${series} ${startMs}`;
    const last = this.last.get(key);
    if (last !== undefined && timeMs <= last.timeMs) return;
    const isFresh = startMs > clock.time - limits.cumulativeFreshMinutes * minuteMs;
    const isNext = startMs >= (this.newest.get(series) ?? Number.POSITIVE_INFINITY);
    if (last !== undefined) this.requests += totalOf(counts) - totalOf(last.counts);
    else if (isFresh || isNext) this.requests += totalOf(counts);
    this.last.set(key, { timeMs, counts });
    this.newest.set(series, Math.max(timeMs, this.newest.get(series) ?? 0));
  }
}

/** Starts of processes that follow one another, some before the last five minutes, and how much each point has more. */
const histories = fc.array(
  fc.record({
    series: fc.integer({ min: 1, max: 3 }),
    startedAgo: fc.integer({ min: 1, max: 40 }),
    growths: fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 5 },
);

function pointsOf(history: readonly { series: number; startedAgo: number; growths: number[][] }[]): Sent[] {
  const starts = new Set<string>();
  return history.flatMap(({ series, startedAgo, growths }) => {
    const startMs = clock.time - startedAgo * minuteMs;
    if (starts.has(`${series} ${startMs}`)) return [];
    starts.add(`${series} ${startMs}`);
    let counts = [0, 0, 0];
    return growths.map((growth, i) => {
      counts = counts.map((count, place) => count + (growth[place] ?? 0));
      return { series, startMs, timeMs: startMs + (i + 1) * 10_000, counts };
    });
  });
}

/** Points of a history, each up to three times, in any order and by either instance. */
const arrivals = histories.chain((history) => {
  const points = pointsOf(history);
  const sent = fc.record({ index: fc.nat(points.length - 1), instance: fc.nat(1) });
  return fc
    .array(sent, { maxLength: 3 * points.length })
    .map((chosen) => chosen.map(({ index, instance }) => ({ point: points[index] as Sent, instance })));
});

t.test('one after another, over two instances, in any order and repeated: as the model counts', async (t) => {
  const instances = [startInstance(t), startInstance(t)];
  const property = fc.asyncProperty(arrivals, async (sent) => {
    const pageId = newPage();
    const model = new Model();
    for (const { point, instance } of sent) {
      const before = model.requests;
      model.add(point);
      const { events } = await (instances[instance] as (typeof instances)[0]).add(pageId, [point]);
      if (events !== model.requests - before)
        throw new Error(`${events} in place of ${model.requests - before} for ${JSON.stringify(point)}`);
    }
  });
  await fc.assert(property, propertyOf(t, { few: 15, many: 300 }));
});

t.test('at once, over two instances: each request of a series that has just begun counts once', async (t) => {
  const instances = [startInstance(t), startInstance(t)];
  const counted = new Map<PageId, number>();
  const property = fc.asyncProperty(arrivals, async (sent) => {
    const pageId = newPage();
    const fresh = sent.map(({ point, instance }) => {
      const startMs = clock.time - (clock.time - point.startMs) / 10;
      return { instance, point: { ...point, startMs, timeMs: startMs + totalOf(point.counts) + 1 } };
    });
    const highest = new Map<string, number>();
    for (const { point } of fresh) {
      const key = `${point.series} ${point.startMs}`;
      highest.set(key, Math.max(highest.get(key) ?? 0, totalOf(point.counts)));
    }
    const answers = await Promise.all(
      fresh.map(({ point, instance }) => (instances[instance] as (typeof instances)[0]).add(pageId, [point])),
    );
    const requests = answers.reduce((sum, { events }) => sum + events, 0);
    const wanted = totalOf([...highest.values()]);
    counted.set(pageId, wanted);
    if (requests !== wanted) throw new Error(`${requests} in place of ${wanted}`);
  });
  await fc.assert(property, propertyOf(t, { few: 15, many: 300 }));
  for (const { commit } of instances) for (const pageId of counted.keys()) await commit.settle(pageId);
  const stored = new Map<string, number>();
  // A row without an endpoint says that a service reported.
  const rows = instances.flatMap(({ store }) => store.rows()).filter(({ endpoint }) => endpoint !== '');
  for (const { pageId, requests } of rows) stored.set(pageId, (stored.get(pageId) ?? 0) + requests);
  t.strictSame(
    stored,
    new Map<string, number>([...counted].filter(([, requests]) => requests > 0)),
    'the stores have what was counted',
  );
});

const startMs = clock.time - minuteMs;
const one: Sent = { series: 1, startMs, timeMs: startMs + 10_000, counts: [4, 0, 0] };

t.test('a page at its bound: new series are refused, and the others go on', async (t) => {
  const { add } = startInstance(t);
  const pageId = newPage();
  await add(pageId, [one]);
  await sql`
    insert into series_groups (page_id, key, weight, touched_at)
    values (${pageId}, gen_random_uuid(), ${limits.cumulativeSeriesPerPage - 2}, ${new Date(clock.time)})`;
  const second = { ...one, series: 2 };
  const third = { ...one, series: 3 };
  t.match(await add(pageId, [second, third]), { events: 4, leftOut: new Map([['too_many_series', 1]]) });
  const grown = { ...one, timeMs: one.timeMs + 1, counts: [4, 5, 0] };
  t.match(await add(pageId, [third, grown]), { events: 5, leftOut: new Map([['too_many_series', 1]]) });
  const otherPage = newPage();
  t.equal((await add(otherPage, [third])).events, 4, 'another page has its own room');
});

t.test(
  'series that are silent for an hour are forgotten, and do not count from their start again',
  async (t) => {
    const { add } = startInstance(t);
    const pageId = newPage();
    const lasting = { ...one, series: 9, group: 'another sender' };
    await add(pageId, [one, lasting]);
    const count = async () => (await sql`select 1 from series_groups where page_id = ${pageId}`).length;
    const started = clock.time;
    t.teardown(() => {
      clock.time = started;
    });
    clock.time += 50 * minuteMs;
    await add(pageId, [{ ...lasting, timeMs: clock.time }]);
    await pruneSeries({ sql, clock });
    t.equal(await count(), 2);
    clock.time += 25 * minuteMs;
    await pruneSeries({ sql, clock });
    t.equal(await count(), 1);
    const back = { ...one, timeMs: clock.time, counts: [40, 0, 0] };
    t.match(await add(pageId, [back]), { events: 0, leftOut: new Map([['first_of_series', 1]]) });
    t.equal((await add(pageId, [{ ...back, timeMs: clock.time + 1, counts: [41, 0, 0] }])).events, 1);
  },
);

t.test('the series of a page go with it, and those of others stay', async (t) => {
  const { add } = startInstance(t);
  const [removed, other] = [newPage(), newPage()];
  await add(removed, [one]);
  await add(other, [one]);
  await removePageRows(sql, { pageId: removed, kept: ['keys', 'audit_log'] });
  const left = await sql<{ page: PageId }[]>`
    select page_id as page from series_groups where page_id in ${sql([removed, other])}`;
  t.same([...left], [{ page: other }]);
});
