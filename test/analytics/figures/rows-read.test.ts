import t from 'tap';
import { parseTopQuery, parseTotalsQuery } from '../../../analytics/figures/parse-figures.js';
import { loadTop } from '../../../analytics/figures/top-groups.js';
import { loadTotals } from '../../../analytics/figures/totals.js';
import { loadReadCost, nameQueries } from '../../../bench/support/read-cost.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { openTestClickHouse } from '../../support/stores.js';
import { newPageId } from '../support.js';

const { clickhouse } = await openTestClickHouse(t);
const page = newPageId();
const [days, services, endpoints] = [14, 10, 100];
// The ranges end in the last hour that was filled, so that they cut an hour and a minute at both ends.
const end = Math.floor(Date.now() / hourMs) * hourMs;
const now = end - 23 * minuteMs;

/** Each endpoint has two rows an hour: one for each status, in one minute. */
await clickhouse.command({
  query: `INSERT INTO landing
    SELECT {page:UUID}, 'service', concat('service-', toString(e % ${services})), concat('/e/', toString(e)), 'GET',
      status, fromUnixTimestamp(toUInt32({start:UInt32} + 3600 * h + 60 * (e % 60))), 1, 1, 5000, [5], [1], '',
      toDateTime64(0, 3, 'UTC'), toDateTime64(0, 3, 'UTC')
    FROM (SELECT number % ${endpoints} AS e, intDiv(number, ${endpoints}) AS h FROM numbers(${days * 24 * endpoints}))
    ARRAY JOIN [200, 500]::Array(UInt16) AS status`,
  query_params: { page, start: (end - days * dayMs) / 1000 },
  clickhouse_settings: { max_partitions_per_insert_block: '0' },
});
for (const table of ['endpoint_requests_6h', 'requests_hour', 'service_requests_hour', 'requests_minute'])
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });

const sixHourRows = days * 4 * endpoints;
const hourRowsADay = 2 * 24 * endpoints;
const serviceHourRows = 2 * days * 24 * services;
/** Rows of the days at both ends in the table by the hour: each is read as a whole at most. */
const edges = 2 * hourRowsADay;

/**
 * The most rows that a read may go through, of 67,200 in the table by the hour. docs/benchmarks.md has those of a page with
 * 2,000 endpoints. A read is one line.
 */
const budgets: [route: 'totals' | 'top', query: Record<string, string>, rows: number][] = [
  ['totals', { from: 'now-14d' }, 2 * serviceHourRows],
  ['totals', { from: 'now-7d', compare: 'previous' }, 2 * (serviceHourRows + 2 * 24 * services)],
  ['totals', { from: 'now-14d', method: 'GET' }, 3 * sixHourRows + serviceHourRows + 2 * edges],
  ['top', { by: 'service', from: 'now-14d', points: '28' }, 3 * serviceHourRows],
  ['top', { by: 'status', from: 'now-14d', points: '28' }, 3 * serviceHourRows],
  ['top', { from: 'now-14d', limit: '200' }, 4 * sixHourRows + serviceHourRows + 2 * edges],
  ['top', { from: 'now-14d', points: '28' }, 5 * sixHourRows + serviceHourRows + 3 * edges],
  ['top', { from: 'now-14d', order: 'p95', limit: '20' }, 5 * sixHourRows + serviceHourRows + 3 * edges],
  ['top', { from: 'now-7d', compare: 'previous' }, 5 * sixHourRows + serviceHourRows + 4 * edges],
  ['top', { from: 'now-14d', search: '/e/12' }, 4 * sixHourRows + serviceHourRows + 2 * edges],
];

for (const [route, query, most] of budgets) {
  const name = `${route} ${new URLSearchParams(query)}`;
  t.test(`${name} reads at most ${most} rows`, async (t) => {
    const reader = { clickhouse: nameQueries(clickhouse, name) };
    if (route === 'totals') await loadTotals(reader, page, parseTotalsQuery(query, now), now);
    else await loadTop(reader, page, parseTopQuery(query, now), now);
    const { rows, queries } = await loadReadCost(clickhouse, name);
    t.ok(queries >= 2 && rows > 0 && rows <= most, `${rows} rows in ${queries} queries`);
  });
}
