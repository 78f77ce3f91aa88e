import t from 'tap';
import { loadKeptSince } from '../../../analytics/figures/kept-figures.js';
import { loadMissing } from '../../../analytics/figures/missing-steps.js';
import { parseTopQuery, parseTotalsQuery } from '../../../analytics/figures/parse-figures.js';
import { loadTop } from '../../../analytics/figures/top-groups.js';
import { loadTotals } from '../../../analytics/figures/totals.js';
import { loadRequests, parseRequestsQuery } from '../../../analytics/requests.js';
import { loadReadCost, nameQueries } from '../../../bench/support/read-cost.js';
import { landingColumns } from '../../../ingest/commit/encode-block.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import { openTestClickHouse } from '../../support/stores.js';
import { newPageId } from '../support.js';

const { clickhouse } = await openTestClickHouse(t);
const page = newPageId();
const [days, services, endpoints] = [14, 10, 100];
// The ranges end in the last hour that was filled, so that they cut an hour and a minute at both ends.
const hour = Math.floor(Date.now() / hourMs) * hourMs;
// In the first hour of a day, the week before the last one begins on a day of its own, which takes another comparison.
const end = hour % dayMs === hourMs ? hour - hourMs : hour;
const now = end - 23 * minuteMs;

/** Each endpoint has two rows an hour: one for each status, in one minute. */
await clickhouse.command({
  query: `INSERT INTO landing_blocks (${landingColumns.join(', ')})
    SELECT {page:UUID}, 'service', concat('service-', toString(e % ${services})), concat('/e/', toString(e)), 'GET',
      status, fromUnixTimestamp(toUInt32({start:UInt32} + 3600 * h + 60 * (e % 60))), 1, 1, 5000, [5], [1], '',
      toDateTime64(0, 3, 'UTC'), toDateTime64(0, 3, 'UTC')
    FROM (SELECT number % ${endpoints} AS e, intDiv(number, ${endpoints}) AS h FROM numbers(${days * 24 * endpoints}))
    ARRAY JOIN [200, 500]::Array(UInt16) AS status`,
  query_params: { page, start: (end - days * dayMs) / 1000 },
  clickhouse_settings: { max_partitions_per_insert_block: '0' },
});
const tables = [
  'endpoint_requests_6h',
  'endpoint_requests_day',
  'endpoint_requests_hour',
  'endpoint_requests_minute',
  'page_requests_hour',
  'page_requests_minute',
];
for (const table of [...tables, 'requests_hour', 'service_requests_hour', 'requests_minute'])
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });

const dayRows = (days + 1) * endpoints;
const sixHourRows = 4 * dayRows;
const hourRowsADay = 2 * 24 * endpoints;
const serviceHourRows = 2 * days * 24 * services;
const pageHourRows = (days + 1) * 24;
const startOfDay = Math.floor(end / dayMs) * dayMs - 2 * dayMs;
const aDay = {
  from: new Date(startOfDay).toISOString(),
  to: new Date(startOfDay + dayMs).toISOString(),
};
/** The last days of the table by the minute, of which one may wait to be dropped. */
const minuteRows = 3 * 24 * endpoints;
/** The tables are compared once for all reads of a page, and twice for those of endpoints. */
const comparison = 3 * serviceHourRows + pageHourRows + (1 + 4 + 24) * dayRows + minuteRows;
/** Rows of the table by the minute in a granule. */
const granule = 1_024;
/** Rows at both ends that are not whole days: of two days by six hours, and by the hour. Each is read as a whole at most. */
const edges = 2 * (4 * endpoints + hourRowsADay);
/** The same in the table in the order of time. */
const edgesByTime = 2 * (4 * endpoints + 2 * granule);

/**
 * The most rows that a read may go through, of 67,200 in the table by the hour. docs/benchmarks.md has those of a page with
 * 2,000 endpoints. A read is one line.
 */
const budgets: [route: keyof typeof routes, query: Record<string, string>, rows: number][] = [
  ['totals', { from: 'now-14d' }, pageHourRows],
  ['totals', { from: 'now-7d', compare: 'previous' }, 2 * pageHourRows],
  ['totals', { from: 'now-14d', method: 'GET' }, pageHourRows],
  ['totals', { from: 'now-14d', endpoint: '/e/12' }, dayRows + edges],
  ['top', { by: 'method', from: 'now-14d', points: '28' }, 3 * pageHourRows],
  ['top', { by: 'service', from: 'now-14d', points: '28' }, 3 * serviceHourRows],
  ['top', { by: 'status', from: 'now-14d', points: '28' }, 3 * serviceHourRows],
  ['top', { from: 'now-14d', limit: '200' }, 2 * (dayRows + edgesByTime)],
  ['top', { from: 'now-1h', limit: '20' }, 8 * granule],
  ['top', { from: 'now-14d', points: '28' }, 2 * (dayRows + edges) + sixHourRows + edges],
  ['top', { from: 'now-14d', order: 'p95', limit: '20' }, dayRows + 2 * edges],
  ['top', { from: 'now-7d', compare: 'previous' }, 3 * (dayRows / 2 + edges)],
  ['top', { from: 'now-14d', search: '/e/12' }, 2 * (dayRows + edges)],
  ['requests', { from: 'now-14d', step: '3600' }, pageHourRows + 2 * 1440],
  ['requests', { from: 'now-14d', groupBy: 'method' }, 2 * (pageHourRows + 2 * 1440)],
  ['requests', { from: 'now-24h', step: '60' }, 2 * 1440],
  ['requests', { from: aDay.from, to: aDay.to, step: '86400', groupBy: 'endpoint' }, 2 * endpoints],
];

const routes = {
  totals: (clickhouse: ClickHouseClient, query: Record<string, string>) =>
    loadTotals({ clickhouse }, page, parseTotalsQuery(query, now), now),
  top: (clickhouse: ClickHouseClient, query: Record<string, string>) =>
    loadTop({ clickhouse }, page, parseTopQuery(query, now), now),
  requests: (clickhouse: ClickHouseClient, query: Record<string, string>) =>
    loadRequests({ clickhouse }, page, parseRequestsQuery(query, now)),
};

for (const [route, query, most] of budgets) {
  const name = `${route} ${new URLSearchParams(query)}`;
  t.test(`${name} reads at most ${most} rows`, async (t) => {
    const reader = nameQueries(clickhouse, name);
    await loadMissing(reader, page, 'pages', { from: now, now });
    await loadMissing(reader, page, 'endpoints', { from: now, now });
    await loadMissing(reader, page, 'minutes', { from: now, now });
    await loadKeptSince(reader);
    const first = await loadReadCost(clickhouse, name);
    t.ok(first.queries === 4 && first.rows <= comparison, `${first.rows} rows are compared`);
    await routes[route](reader, query);
    const all = await loadReadCost(clickhouse, name);
    const [rows, queries] = [all.rows - first.rows, all.queries - first.queries];
    t.ok(queries >= 1 && rows > 0 && rows <= most, `${rows} rows in ${queries} queries`);
  });
}

t.test(
  'tables are compared where one of them would take part, and once for reads at the same time',
  async (t) => {
    const addedByComparison = async (name: string, reads: (reader: ClickHouseClient) => Promise<unknown>) => {
      const reader = nameQueries(clickhouse, name);
      await reads(reader);
      const { queries } = await loadReadCost(clickhouse, name);
      await loadMissing(reader, page, 'endpoints', { from: now, now });
      return (await loadReadCost(clickhouse, name)).queries - queries;
    };
    const short = await addedByComparison('short', async (reader) => {
      await routes.totals(reader, { from: 'now-15m', service: 'service-1', endpoint: '/e/1' });
      await routes.requests(reader, { from: 'now-24h', step: '60', groupBy: 'status' });
    });
    t.equal(short, 1, 'short reads have not compared');
    const long = await addedByComparison('long', (reader) =>
      routes.totals(reader, { from: 'now-14d', endpoint: '/e/1' }),
    );
    t.equal(long, 0, 'a long read has compared');

    const together = nameQueries(clickhouse, 'together');
    await Promise.all([1, 2, 3].map(() => loadMissing(together, page, 'endpoints', { from: now, now })));
    t.equal((await loadReadCost(clickhouse, 'together')).queries, 1);

    // Two weeks before the evening, percentiles begin with the morning of that day.
    const evening = Math.floor(end / dayMs) * dayMs + 20 * hourMs;
    const morning = Math.floor(evening / dayMs) * dayMs - days * dayMs;
    const late = nameQueries(clickhouse, 'late');
    const another = newPageId();
    await loadMissing(late, another, 'endpoints', { from: evening, now: evening });
    await loadMissing(late, another, 'endpoints', { from: morning, now: evening });
    t.equal((await loadReadCost(clickhouse, 'late')).queries, 1, 'a day as a whole needs no long comparison');
    await loadMissing(late, another, 'endpoints', { from: morning - 1, now: evening });
    t.equal((await loadReadCost(clickhouse, 'late')).queries, 2, 'a day before does');
  },
);

t.test('what is no longer kept does not lack', async (t) => {
  const later = end + 2 * hourMs;
  const remove = (table: string, until: number) =>
    clickhouse.command({
      query: `DELETE FROM ${table} WHERE page_id = {page:UUID} AND hour < fromUnixTimestamp({until:UInt32})`,
      query_params: { page, until: until / 1000 },
    });
  const find = (name: string, compared: 'pages' | 'endpoints') =>
    loadMissing(nameQueries(clickhouse, name), page, compared, { from: later, now: later });
  await remove('service_requests_hour', later - days * dayMs);
  t.same(await find('kept', 'pages'), { pages: [] });
  t.same(await find('kept', 'endpoints'), { days: [], sixHours: [], hours: [] });
  const until = Math.floor(end / dayMs) * dayMs - 2 * dayMs;
  await remove('page_requests_hour', until);
  t.same(
    await find('lacking', 'pages'),
    { pages: [{ from: 0, to: until }] },
    'what lacks at the first step lacks before it, too',
  );
});
