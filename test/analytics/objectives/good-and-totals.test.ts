import t from 'tap';
import { loadGoodAndTotal, loadGoodAndTotals } from '../../../analytics/objectives/good-and-totals.js';
import { findCounted, loadHours, loadWorst } from '../../../analytics/objectives/spending.js';
import { seeded } from '../../../bench/support/batches.js';
import type { RequestsSli } from '../../../contract/manage/objectives.js';
import { boundsOf, latencyKeys, nearestKeyOf } from '../../../lib/latency-buckets.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';
import { openTestClickHouse } from '../../support/stores.js';
import { insertRequests, type LandingRow, newPageId } from '../support.js';

const { numRuns, seed } = propertyOf(t, { few: 25, many: 400 });
const random = seeded(seed);
const { clickhouse } = await openTestClickHouse(t);
const now = Math.floor(Date.now() / minuteMs) * minuteMs;
const oldest = now - 6 * dayMs;
const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
  values[Math.floor(random() * values.length)] ?? values[0];
const bounds = latencyKeys.map((key) => boundsOf(key).upperMs).filter((ms) => ms >= 50 && ms <= 1_000);

type Made = Required<
  Pick<LandingRow, 'kind' | 'service' | 'endpoint' | 'method' | 'status' | 'at' | 'requests'>
> & {
  latencyMs: number[];
};

/** Times at bounds, just above them and between; some requests have none. */
const timeOf = (): number => {
  const bound = bounds[Math.floor(random() * bounds.length)] ?? 50;
  return Math.fround(pick([bound, bound * 1.001, bound * 0.999]));
};

const makeRows = (): Made[] =>
  Array.from({ length: 1_500 }, () => {
    const latencyMs = Array.from({ length: Math.floor(random() * 5) }, timeOf);
    return {
      kind: pick(['service', 'service', 'reporter']),
      service: pick(['cart', 'search', 'unassigned']),
      endpoint: pick(['/a', '/b/:id', '/c']),
      method: pick(['GET', 'POST']),
      status: pick([200, 200, 404, 499, 500, 503]),
      at: oldest + Math.floor((random() * (now - oldest)) / minuteMs) * minuteMs,
      requests: latencyMs.length + Math.floor(random() * 3),
      latencyMs,
    };
  });

const pages = [newPageId(), newPageId(), newPageId()].map((pageId) => ({ pageId, rows: makeRows() }));
for (const { pageId, rows } of pages) await insertRequests(clickhouse, pageId, rows);

function randomSli(): RequestsSli {
  const some = <Value>(value: Value) => (random() < 0.4 ? value : undefined);
  const asked = {
    service: some(pick(['cart', 'search', 'Cart'])),
    endpoint: some(pick(['/a', '/b/:id'])),
    method: some(pick(['GET', 'post'])),
    underMs: some(pick([50, 99, 100, 300, 307, 999])),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

function randomPeriod() {
  const from = oldest + Math.floor((random() * (now - oldest)) / minuteMs) * minuteMs;
  const length = pick([5 * minuteMs, hourMs, 6 * hourMs, dayMs, 3 * dayMs]);
  return { from, to: Math.min(now, from + length) };
}

const matching = (rows: readonly Made[], { service, endpoint, method }: RequestsSli): Made[] =>
  rows.filter(
    (row) =>
      (service === undefined ||
        row.service === (row.kind === 'reporter' ? service : service.toLowerCase())) &&
      (endpoint === undefined || row.endpoint === endpoint) &&
      (method === undefined || row.method === method.toUpperCase()),
  );

/** Counts the requests one by one. */
function countsOf(rows: readonly Made[], sli: RequestsSli, { from, to }: { from: number; to: number }) {
  const inside = matching(rows, sli).filter(({ at }) => at >= from && at < to);
  const sum = (of: (row: Made) => number) => inside.reduce((all, row) => all + of(row), 0);
  const isGood = ({ status }: Made) => status < 500;
  if (sli.underMs === undefined) {
    return { good: sum((row) => (isGood(row) ? row.requests : 0)), total: sum(({ requests }) => requests) };
  }
  const { upperMs } = boundsOf(nearestKeyOf(sli.underMs));
  return {
    good: sum((row) => (isGood(row) ? row.latencyMs.filter((ms) => ms <= upperMs).length : 0)),
    total: sum(({ latencyMs }) => latencyMs.length),
  };
}

t.test('good and all requests are those of the events, for many pages and periods at once', async (t) => {
  const wrong: unknown[] = [];
  let good = 0;
  for (let i = 0; i < numRuns; i += 1) {
    const asked = Array.from({ length: 7 }, () => ({ page: pick([0, 1, 2]), sli: randomSli() }));
    const periods = Array.from({ length: 1 + Math.floor(random() * 7) }, randomPeriod);
    const found = await loadGoodAndTotals(
      clickhouse,
      asked.map(({ page, sli }) => ({ pageId: pages[page]?.pageId ?? newPageId(), sli })),
      periods,
    );
    const expected = asked.map(({ page, sli }) =>
      periods.map((period) => countsOf(pages[page]?.rows ?? [], sli, period)),
    );
    good += expected.flat().reduce((sum, counts) => sum + counts.good, 0);
    expected.forEach((counts, at) => {
      if (JSON.stringify(found[at]) !== JSON.stringify(counts)) wrong.push([asked[at], found[at], counts]);
    });
  }
  t.same(wrong.slice(0, 3), []);
  t.ok(good > 1_000, `${good} good requests`);
});

t.test('hours add up to the period, and endpoints to what failed in it', async (t) => {
  const wrong: unknown[] = [];
  const [first] = pages;
  if (first === undefined) throw new Error('There is a page.');
  for (let i = 0; i < numRuns; i += 1) {
    const [sli, window] = [randomSli(), randomPeriod()];
    const deps = { clickhouse };
    const { counted } = await findCounted(deps, sli, window, now);
    if (counted === undefined) continue;
    t.same(counted, window);
    const scope = { pageId: first.pageId, sli };
    const expected = countsOf(first.rows, sli, counted);
    const hours = await loadHours(deps, scope, counted, now);
    const sum = hours.reduce(
      (all, { good, total }) => ({ good: all.good + good, total: all.total + total }),
      { good: 0, total: 0 },
    );
    if (JSON.stringify(sum) !== JSON.stringify(expected)) wrong.push(['hours', sli, sum, expected]);
    const { endpoints } = await loadWorst(deps, scope, { period: counted, limit: 100, now });
    const bad = endpoints.map(({ good, total }) => total - good);
    if (bad.reduce((all, one) => all + one, 0) !== expected.total - expected.good)
      wrong.push(['endpoints', sli, endpoints, expected]);
    if (bad.some((one, at) => one > (bad[at - 1] ?? Number.POSITIVE_INFINITY))) wrong.push(['order', bad]);
  }
  t.same(wrong.slice(0, 3), []);
});

t.test('another page, and no objective, read nothing', async (t) => {
  const period = { from: oldest, to: now };
  t.same(await loadGoodAndTotal(clickhouse, newPageId(), {}, [period]), [{ good: 0, total: 0 }]);
  t.same(await loadGoodAndTotals(clickhouse, [], [period]), []);
  t.same(await loadGoodAndTotal(clickhouse, pages[0]?.pageId ?? newPageId(), {}, []), []);
});
