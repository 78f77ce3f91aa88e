import t from 'tap';
import { parseTopQuery, parseTotalsQuery, roundingUnitMs } from '../../../analytics/figures/parse-figures.js';
import { type Period, sixHoursMs } from '../../../analytics/figures/periods.js';
import { loadTop } from '../../../analytics/figures/top-groups.js';
import { loadTotals } from '../../../analytics/figures/totals.js';
import { seeded } from '../../../bench/support/batches.js';
import { nameQueries } from '../../../bench/support/read-cost.js';
import { orders } from '../../../contract/analytics/figures.js';
import { type Grouping, groupings } from '../../../contract/analytics/parameters.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';
import { openTestClickHouse } from '../../support/stores.js';
import { insertRequests, newPageId } from '../support.js';
import {
  type Counted,
  columnsOf,
  countsOf,
  findDeviation,
  groupsOf,
  percentileRange,
  type Range,
  within,
} from './reference.js';

const { numRuns, seed } = propertyOf(t, { few: 12, many: 80 });
const random = seeded(seed);
const { clickhouse } = await openTestClickHouse(t);
const page = newPageId();
const now = Math.floor(Date.now() / minuteMs) * minuteMs;
const oldest = now - 5 * dayMs;

/** Ends of a range that is kept by the minute. */
function roundPeriod({ from, to }: Period): Period {
  const unitMs = roundingUnitMs({ from, to });
  return { from: Math.floor(from / unitMs) * unitMs, to: Math.ceil(to / unitMs) * unitMs };
}

const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
  values[Math.floor(random() * values.length)] ?? values[0];
const services = ['cart', 'search', 'Ünion'] as const;
const endpoints = ['/a', '/b/:id', '/c_d', '/100%', '/e\\f', '/g', '/h'] as const;

const rows = Array.from({ length: 4_000 }, (): Counted => {
  const endpoint = pick(endpoints);
  const latencyMs = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
    // Each endpoint has a p95 of its own.
    Math.fround(10 * 2 ** endpoints.indexOf(endpoint) * (1 + random())),
  );
  return {
    ...{ service: pick(services), endpoint, method: pick(['GET', 'POST']), latencyMs },
    status: pick([200, 200, 200, 201, 404, 500, 503]),
    at: oldest + Math.floor((random() * (now - oldest)) / minuteMs) * minuteMs,
    requests: latencyMs.length,
  };
});
await insertRequests(clickhouse, page, rows);

/** A range with cut minutes, hours or none. One of a day or more is answered in whole hours. */
function randomRange(): Range {
  const unit = pick([minuteMs, hourMs, sixHoursMs]);
  const length = pick([10 * minuteMs, 3 * hourMs, 20 * hourMs, 2 * dayMs, 4 * dayMs]) * (0.5 + random());
  const from = oldest + random() * (now - oldest - minuteMs);
  const to = Math.min(now, from + Math.max(length, 2 * unit));
  const rounded = { from: Math.floor(from / unit) * unit, to: Math.ceil(to / unit) * unit };
  return rounded.to > now ? { ...rounded, to: now } : rounded;
}

const times = ({ from, to }: Range) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});
const before = ({ from, to }: Range): Range => ({ from: from - (to - from), to: from });

type Filter = Partial<Pick<Counted, 'service' | 'endpoint' | 'method' | 'status'>>;

function randomFilter(): Filter {
  const filters: [Filter, ...Filter[]] = [
    {},
    {},
    { service: 'search' },
    { endpoint: '/b/:id' },
    { method: 'POST' },
    { status: 503 },
    { service: 'cart', status: 200 },
  ];
  return pick(filters);
}

const asQuery = (filter: Filter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, `${value}`]));
const matching = (filter: Filter): Counted[] =>
  rows.filter((row) => Object.entries(filter).every(([name, value]) => row[name as keyof Filter] === value)); // The names are those of a Filter.

/** Whether the percentiles of a long range are of whole steps of six hours. */
const isWide = (filter: Filter, by: Grouping | null): boolean =>
  filter.endpoint === undefined &&
  filter.status === undefined &&
  (by === 'endpoint' ||
    (by === 'service' && filter.method !== undefined) ||
    (by === 'method' && filter.service !== undefined));

t.test('totals are those of the events', async (t) => {
  for (let i = 0; i < numRuns; i += 1) {
    const [asked, filter] = [randomRange(), randomFilter()];
    const range = roundPeriod(asked);
    const said = JSON.stringify({ ...times(range), filter });
    const query = { ...times(asked), ...asQuery(filter), compare: 'previous' };
    const answer = await loadTotals({ clickhouse }, page, parseTotalsQuery(query, now), now);
    const all = matching(filter);
    t.match(answer, { ...times(range), now: countsOf(within(all, range)) }, said);
    t.match(answer.previous, countsOf(within(all, before(range))), said);
    const wide = isWide(filter, null);
    const measured = within(all, percentileRange(range, wide));
    const { requests, requestsPerSecond } = answer.now;
    if (requests === null || requestsPerSecond === null || requests === 0) continue;
    t.equal(findDeviation(answer.now, measured), undefined, said);
    const seconds = (Math.min(range.to, now) - range.from) / 1000;
    t.ok(Math.abs(requestsPerSecond - requests / seconds) < 1e-4, said);
  }
});

t.test('the requests per second of a range that ends later are those until now', async (t) => {
  const later = Math.floor(now / hourMs) * hourMs - 35 * minuteMs;
  const query = times({ from: later - 2 * dayMs, to: later });
  const answer = await loadTotals({ clickhouse }, page, parseTotalsQuery(query, later), later);
  t.ok(Date.parse(answer.to) > later, 'it is rounded up to a whole hour');
  const seconds = (later - Date.parse(answer.from)) / 1000;
  t.equal(answer.now.requestsPerSecond, Number(((answer.now.requests ?? 0) / seconds).toPrecision(6)));
});

t.test('the largest groups are those of the events', async (t) => {
  for (let i = 0; i < numRuns; i += 1) {
    const [asked, filter, by, order] = [randomRange(), randomFilter(), pick(groupings), pick(orders)];
    const range = roundPeriod(asked);
    const said = JSON.stringify({ ...times(range), filter, by, order });
    const query = { ...times(asked), ...asQuery(filter), by, order, compare: 'previous', points: '30' };
    const answer = await loadTop({ clickhouse }, page, parseTopQuery(query, now), now);
    const groups = groupsOf(within(matching(filter), range), by);
    t.match(answer, { ...times(range), by, order, groups: groups.size, truncated: false }, said);
    t.equal(answer.rows.length, groups.size, said);
    const wide = isWide(filter, by);
    const [measured, earlier] = [percentileRange(range, wide), before(range)].map((one) =>
      groupsOf(within(matching(filter), one), by),
    );
    for (const row of answer.rows) {
      const key = columnsOf[by].map((column) => row[column]).join(' ');
      t.match(row.now, countsOf(groups.get(key) ?? []), `${key} ${said}`);
      t.match(row.previous, countsOf(earlier?.get(key) ?? []), `${key} before ${said}`);
      t.equal(findDeviation(row.now, measured?.get(key) ?? []), undefined, `${key} ${said}`);
      const { step } = answer;
      if (step === null || row.sparkline === null) throw new Error(said);
      const points = Math.ceil(range.to / 1000 / step) - Math.floor(range.from / 1000 / step);
      t.equal(row.sparkline.requests.length, points, said);
      t.same(row.sparkline, sparklineOf(groups.get(key) ?? [], range, step), `${key} ${said}`);
    }
    const values = answer.rows.map(({ now }) => (order === 'p95' ? now.p95Ms : now[order]) ?? -1);
    t.same(
      values,
      values.toSorted((a, b) => b - a),
      said,
    );
  }
});

function sparklineOf(some: readonly Counted[], { from, to }: Range, step: number) {
  const first = Math.floor(from / 1000 / step);
  const length = Math.ceil(to / 1000 / step) - first;
  const sums = (of: readonly Counted[]) => {
    const values = Array.from({ length }, () => 0);
    for (const { at, requests } of of) {
      const i = Math.floor(at / 1000 / step) - first;
      values[i] = (values[i] ?? 0) + requests;
    }
    return values;
  };
  return { requests: sums(some), errors: sums(some.filter(({ status }) => status >= 500)) };
}

t.test('a limit keeps the largest, in each order', async (t) => {
  const range = { from: now - 3 * dayMs, to: now };
  for (const order of orders) {
    const ask = async (limit: string) =>
      loadTop({ clickhouse }, page, parseTopQuery({ ...times(range), order, limit }, now), now);
    const [all, few] = [await ask('200'), await ask('4')];
    t.match(few, { groups: services.length * endpoints.length, truncated: true }, order);
    t.same(few.rows, all.rows.slice(0, 4), order);
  }
});

t.test('a search finds parts of names in any case, and takes every character as it is', async (t) => {
  const find = async (search: string, by: Grouping = 'endpoint', service?: string) => {
    const query = { from: 'now-5d', search, by, ...(service !== undefined && { service }) };
    const { rows: found, groups } = await loadTop({ clickhouse }, page, parseTopQuery(query, now), now);
    t.equal(groups, found.length);
    return found;
  };
  for (const [search, endpoint] of Object.entries({ '0%': '/100%', '\\': '/e\\f', C_D: '/c_d' })) {
    t.same([...new Set((await find(search)).map((row) => row.endpoint))], [endpoint], search);
  }
  t.same(new Set((await find('üni')).map(({ service }) => service)), new Set(['Ünion']));
  t.same(await find('c%d'), []);
  t.same(
    (await find('A', 'service')).map(({ service }) => service).sort(),
    ['cart', 'search'],
    'among services, by their names only',
  );
  t.same(
    (await find('a', 'endpoint', 'cart')).map(({ endpoint }) => endpoint),
    ['/a'],
    'within a service, by the names of its endpoints only',
  );
  const statuses = groupsOf(
    rows.filter(({ endpoint }) => endpoint === '/100%'),
    'status',
  );
  for (const { status, now: found } of await find('100%', 'status'))
    t.match(found, countsOf(within(statuses.get(`${status}`) ?? [], { from: oldest, to: now })));
});

t.test('the period before is null where rows of it are gone', async (t) => {
  const previousOf = async (from: string) => {
    const query = parseTotalsQuery({ from, endpoint: '/a', compare: 'previous' }, now + 30_000);
    return (await loadTotals({ clickhouse }, page, query, now + 30_000)).previous;
  };
  t.ok(await previousOf('now-49d'));
  t.equal(await previousOf('now-51d'), null);
  const query = parseTotalsQuery({ from: 'now-1h' }, now);
  t.equal((await loadTotals({ clickhouse }, page, query, now)).previous, null, 'not asked for');
});

t.test('equal percentiles are in the order of names, whatever the limit', async (t) => {
  const other = newPageId();
  const range = { from: now - 2 * dayMs, to: now - dayMs };
  // Calls right before the range belong to its first step of percentiles, and not to its counts.
  const early = Math.floor(range.from / hourMs) * hourMs - minuteMs;
  const names = ['/Z', '/a', '/é', '/\u{ffee}', '/\u{1f600}'];
  await insertRequests(
    clickhouse,
    other,
    names.flatMap((endpoint, i) => [
      { at: range.from + 7 * hourMs, endpoint, requests: 1 + i, latencyMs: [100] },
      { at: early, endpoint, requests: 50 - 10 * i, latencyMs: [100] },
    ]),
  );
  for (const limit of ['2', '200']) {
    const query = parseTopQuery({ ...times(range), order: 'p95', limit }, now);
    const found = (await loadTop({ clickhouse }, other, query, now)).rows.map(({ endpoint }) => endpoint);
    t.same(found, names.slice(0, Number(limit)), limit);
  }
});

t.test('groups without response times are last under p95', async (t) => {
  const other = newPageId();
  await insertRequests(clickhouse, other, [
    { at: now - hourMs, endpoint: '/busy', requests: 900 },
    { at: now - hourMs, endpoint: '/slow', latencyMs: [900] },
  ]);
  for (const limit of ['1', '2']) {
    const query = parseTopQuery({ from: 'now-2h', order: 'p95', limit }, now);
    const answer = await loadTop({ clickhouse }, other, query, now);
    t.match(answer, { groups: 2, rows: [{ endpoint: '/slow' }] });
    if (limit === '2') t.match(answer.rows[1], { endpoint: '/busy', now: { averageMs: null, p95Ms: null } });
  }
});

t.test('response times outside the range do not put a group first under p95', async (t) => {
  const other = newPageId();
  const range = { from: now - 2 * dayMs, to: now - dayMs };
  await insertRequests(clickhouse, other, [
    { at: Math.floor(range.from / hourMs) * hourMs - minuteMs, endpoint: '/before', latencyMs: [9_000] },
    { at: range.from + 7 * hourMs, endpoint: '/before', requests: 5 },
    { at: range.from + 7 * hourMs, endpoint: '/within', latencyMs: [10] },
  ]);
  const query = parseTopQuery({ ...times(range), order: 'p95', limit: '1' }, now);
  t.match(await loadTop({ clickhouse }, other, query, now), { groups: 2, rows: [{ endpoint: '/within' }] });
});

t.test('what a table lacks of the past is read from the others', async (t) => {
  const range = { from: now - 4 * dayMs - 7 * minuteMs, to: now };
  const ask = async (query: Record<string, string>) => {
    // Each client keeps the steps that a table lacks.
    const reader = { clickhouse: nameQueries(clickhouse, 'lacking') };
    const parsed = parseTopQuery({ ...times(range), points: '16', ...query }, now);
    return [
      await loadTop(reader, page, parsed, now),
      await loadTotals(reader, page, { ...parsed, filters: { method: 'GET' } }, now),
    ];
  };
  // The table of days has all of whole days but their sparklines.
  const days = times({ from: Math.ceil(oldest / dayMs) * dayMs, to: Math.floor(now / dayMs) * dayMs });
  const queries: Record<string, string>[] = [
    ...[{ by: 'endpoint' }, { by: 'method' }, { by: 'endpoint', endpoint: '/a' }, { points: '4' }],
    { by: 'method', ...days },
  ];
  const askAll = async () => Promise.all(queries.map(ask));
  const all = await askAll();
  const remove = (table: string, time: string) =>
    clickhouse.command({
      query: `DELETE FROM ${table} WHERE page_id = {page:UUID} AND (${time} < {until:UInt32}
              OR method = 'GET' AND ${time} < {until:UInt32} + 43200)`,
      query_params: { page, until: Math.floor((now - 3 * dayMs) / 1000) },
      clickhouse_settings: { lightweight_deletes_sync: '1' },
    });
  const tables = { endpoint_requests_6h: 'start', endpoint_requests_day: 'day', page_requests_hour: 'hour' };
  for (const [table, time] of Object.entries({ ...tables, page_requests_minute: 'minute' })) {
    await remove(table, time);
    t.same(await askAll(), all, table);
  }
});
