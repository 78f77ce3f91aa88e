import t from 'tap';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { allKept } from '../support/kept.js';
import { openTestClickHouse } from '../support/stores.js';
import { insertRequests, newPageId } from './support.js';

const { clickhouse } = await openTestClickHouse(t);
const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const minute = (n: number): number => hour + n * 60_000;

async function read(pageId: ReturnType<typeof newPageId>, query: Record<string, string>) {
  return loadRequests({ clickhouse }, pageId, parseRequestsQuery(query, Date.now()));
}

t.test('counts by status class; figures that were not measured are null', async (t) => {
  const page = newPageId();
  await insertRequests(clickhouse, page, [
    { at: minute(0), status: 200, latencyMs: [10, 20] },
    { at: minute(0), status: 503, requests: 3 },
    { at: minute(2), status: 404, requests: 2 },
  ]);
  const { series, ...answer } = await read(page, { from: iso(minute(0)), to: iso(minute(3)), step: '60' });
  const unmeasured = { averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null };
  const range = { from: iso(minute(0)), to: iso(minute(3)), step: 60, ...allKept };
  t.same(answer, { ...range, groupBy: null, truncated: false });
  t.match(series, [{ group: null }]);
  const points = series[0]?.points ?? [];
  t.match(points[0], { at: iso(minute(0)), count: 5, errors: 3, clientErrors: 0, averageMs: 15 });
  t.same(points.slice(1), [
    { at: iso(minute(1)), count: 0, errors: 0, clientErrors: 0, ...unmeasured },
    { at: iso(minute(2)), count: 2, errors: 0, clientErrors: 2, ...unmeasured },
  ]);
});

t.test('merges percentiles across rows, within 2.5 % of exact', async (t) => {
  const page = newPageId();
  const values = Array.from({ length: 6_000 }, (_, i) => 2 + ((i * 7_919) % 6_000) / 3);
  for (const part of [0, 1, 2]) {
    const rows = [0, 1, 2, 3].map((n) => ({
      at: minute(n),
      endpoint: `/part-${part}`,
      latencyMs: values.slice((part * 4 + n) * 500, (part * 4 + n + 1) * 500),
    }));
    await insertRequests(clickhouse, page, rows);
  }
  const sorted = [...values].sort((a, b) => a - b);
  const exact = (level: number): number => sorted[Math.ceil(level * sorted.length) - 1] ?? NaN;
  const near = (value: number | null | undefined, level: number): boolean =>
    value != null && Math.abs(value - exact(level)) <= exact(level) * 0.025;
  for (const step of ['600', '3600']) {
    const { series } = await read(page, { from: iso(hour), to: iso(hour + 3_600_000), step });
    const point = series[0]?.points[0];
    t.equal(point?.count, 6_000);
    t.ok(near(point?.p50Ms, 0.5), `p50 ${point?.p50Ms} is near ${exact(0.5)}`);
    t.ok(near(point?.p95Ms, 0.95), `p95 ${point?.p95Ms} is near ${exact(0.95)}`);
    t.ok(near(point?.p99Ms, 0.99), `p99 ${point?.p99Ms} is near ${exact(0.99)}`);
  }
});

t.test('the hour rollup agrees with the minutes', async (t) => {
  const page = newPageId();
  const rows = Array.from({ length: 150 }, (_, n) => ({
    at: minute(n),
    status: 200 + (n % 4) * 100,
    latencyMs: [n + 1],
  }));
  await insertRequests(clickhouse, page, rows);
  const hours = await read(page, { from: iso(hour), to: iso(hour + 3 * 3_600_000), step: '3600' });
  // An empty minute more at the end keeps the query from the hours.
  const minutes = await read(page, { from: iso(hour), to: iso(hour + 3 * 3_600_000 + 60_000), step: '3600' });
  t.same(minutes.series[0]?.points.slice(0, 3), hours.series[0]?.points);
  t.equal(
    hours.series[0]?.points.reduce((sum, { count }) => sum + (count ?? 0), 0),
    150,
  );
});

t.test('orders groups by count, and says when the answer is truncated', async (t) => {
  const page = newPageId();
  const rows = ['/c', '/a', '/b', '/d'].map((endpoint) => ({
    at: minute(0),
    endpoint,
    requests: endpoint === '/d' ? 9 : 4,
  }));
  await insertRequests(clickhouse, page, rows);
  const range = { from: iso(minute(0)), to: iso(minute(1)), step: '60', groupBy: 'endpoint' };
  const cut = await read(page, { ...range, limit: '3' });
  t.same(
    cut.series.map(({ group }) => group),
    ['/d', '/a', '/b'],
  );
  t.equal(cut.truncated, true);
  const whole = await read(page, { ...range, limit: '4' });
  t.equal(whole.series.length, 4);
  t.equal(whole.truncated, false);
});

t.test('groups by status as a number', async (t) => {
  const page = newPageId();
  await insertRequests(clickhouse, page, [
    { at: minute(0), status: 500 },
    { at: minute(0), status: 200, requests: 2 },
  ]);
  const answer = await read(page, {
    from: iso(minute(0)),
    to: iso(minute(1)),
    step: '60',
    groupBy: 'status',
  });
  t.same(
    answer.series.map(({ group, points }) => [group, points[0]?.count]),
    [
      [200, 2],
      [500, 1],
    ],
  );
});

t.test('filters exactly', async (t) => {
  const page = newPageId();
  await insertRequests(clickhouse, page, [
    { at: minute(0), service: 'api', endpoint: '/a', method: 'GET', status: 200, requests: 1 },
    { at: minute(0), service: 'api', endpoint: '/a', method: 'POST', status: 200, requests: 2 },
    { at: minute(0), service: 'api', endpoint: '/a', method: 'POST', status: 500, requests: 4 },
    { at: minute(0), service: "api' or 1 --", endpoint: '/b', method: 'GET', status: 200, requests: 8 },
  ]);
  const count = async (filters: Record<string, string>): Promise<number | null | undefined> => {
    const answer = await read(page, { from: iso(minute(0)), to: iso(minute(1)), step: '60', ...filters });
    return answer.series[0]?.points[0]?.count;
  };
  t.equal(await count({}), 15);
  t.equal(await count({ service: 'api' }), 7);
  t.equal(await count({ service: "api' or 1 --" }), 8);
  t.equal(await count({ endpoint: '/a', method: 'POST' }), 6);
  t.equal(await count({ status: '500' }), 4);
  t.equal(await count({ service: 'ap' }), 0);
  t.equal(await count({ service: ' API', endpoint: '/a/?b=1#c', method: 'post ' }), 6, 'as at ingest');
});

t.test('counts only the minutes of the range in a step that it cuts', async (t) => {
  const page = newPageId();
  await insertRequests(
    clickhouse,
    page,
    [0, 1, 2, 3, 4, 5].map((n) => ({ at: minute(n) })),
  );
  const answer = await read(page, { from: iso(minute(2) + 30_000), to: iso(minute(4) + 1), step: '300' });
  t.equal(answer.from, iso(minute(2)));
  t.equal(answer.to, iso(minute(5)));
  t.same(
    answer.series[0]?.points.map(({ at, count }) => [at, count]),
    [[iso(minute(0)), 3]],
  );
});

t.test('shows nothing of another page', async (t) => {
  const [mine, theirs] = [newPageId(), newPageId()];
  await insertRequests(clickhouse, theirs, [{ at: minute(0), service: 'theirs' }]);
  const answer = await read(mine, {
    from: iso(minute(0)),
    to: iso(minute(1)),
    step: '60',
    groupBy: 'service',
  });
  t.same(answer.series, []);
});

t.test('the step that is not over is said, and no other', async (t) => {
  const page = newPageId();
  const now = hour + 90_500;
  const unfinishedOf = async (from: number, to: number, step: string) => {
    const query = parseRequestsQuery({ from: iso(from), to: iso(to), step }, now);
    return (await loadRequests({ clickhouse }, page, query)).unfinishedFrom;
  };
  t.equal(await unfinishedOf(minute(0), minute(2), '60'), iso(minute(1)));
  t.equal(await unfinishedOf(minute(0), minute(1), '60'), null, 'the range ends before it');
  t.equal(await unfinishedOf(minute(-60), minute(2), '3600'), iso(hour));
  t.equal(await unfinishedOf(minute(-60), minute(0), '3600'), null);
});
