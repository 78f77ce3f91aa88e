import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { loadCalls, parseCallsQuery } from '../../analytics/calls.js';
import { parseTopQuery, parseTotalsQuery } from '../../analytics/figures/parse-figures.js';
import { loadTop } from '../../analytics/figures/top-groups.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import { loadMessageGroups, parseMessageGroupsQuery } from '../../analytics/message-groups.js';
import { loadMessages, parseMessagesQuery } from '../../analytics/messages.js';
import { loadReporters } from '../../analytics/reporters.js';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { migrate } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { fillRollups } from '../support/fill.js';
import { loadReadCost, nameQueries } from '../support/read-cost.js';
import { line, median } from '../support/report.js';
import { withStores } from '../support/stores.js';

/**
 * Measures the reads of the dashboard over two weeks of a page with 2,000 endpoints of 20 services: 14,400,000 requests a
 * day, half of the endpoints in each minute. `npm run bench:dashboard-reads [PART OF A NAME]`
 */
const filling = { rowsPerMinute: 1_000, endpoints: 2_000, services: 20 };
const runs = 20;
/** The first runs fill the caches of the server. */
const warmUps = 2;
const budgetMs = 250;

type Query = Record<string, string>;
type Page = { clickhouse: ClickHouseClient; sql: Sql; pageId: PageId; now: number };

/** How each route reads, with the query of a request. */
const routes = {
  totals: ({ clickhouse, pageId, now }: Page, query: Query) =>
    loadTotals({ clickhouse }, pageId, parseTotalsQuery(query, now), now),
  top: ({ clickhouse, pageId, now }: Page, query: Query) =>
    loadTop({ clickhouse }, pageId, parseTopQuery(query, now), now),
  requests: ({ clickhouse, pageId, now }: Page, query: Query) =>
    loadRequests({ clickhouse }, pageId, parseRequestsQuery(query, now)),
  messages: ({ clickhouse, pageId, now }: Page, query: Query) =>
    loadMessages({ clickhouse }, pageId, parseMessagesQuery(query, now)),
  'messages/groups': ({ clickhouse, pageId, now }: Page, query: Query) =>
    loadMessageGroups({ clickhouse }, pageId, parseMessageGroupsQuery(query, now)),
  calls: ({ clickhouse, sql, pageId, now }: Page, query: Query) =>
    loadCalls({ clickhouse, sql }, pageId, parseCallsQuery(query, now)),
  reporters: ({ clickhouse, sql, pageId, now }: Page) =>
    loadReporters({ clickhouse, sql, clock: { now: () => now } }, pageId, { windowSeconds: 3_600 }),
};

/** The reads of screens, one a line. */
const reads: [keyof typeof routes, string][] = [
  ['totals', 'from=now-14d'],
  ['totals', 'from=now-7d&compare=previous'],
  ['totals', 'from=now-24h&compare=previous'],
  ['totals', 'from=now-14d&service=service-7'],
  ['totals', 'from=now-14d&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['totals', 'from=now-14d&status=500'],
  ['totals', 'from=now-14d&method=GET'],
  ['top', 'from=now-14d&by=service&points=28'],
  ['top', 'from=now-7d&by=service&points=28&compare=previous'],
  ['top', 'from=now-14d&by=status'],
  ['top', 'from=now-14d&by=method'],
  ['top', 'from=now-14d&by=endpoint&limit=200&points=28'],
  ['top', 'from=now-14d&by=endpoint&limit=200&order=errorShare'],
  ['top', 'from=now-14d&by=endpoint&limit=200&order=p95'],
  ['top', 'from=now-14d&by=endpoint&limit=200&search=resource-12'],
  ['top', 'from=now-14d&by=endpoint&limit=200&service=service-7&points=28'],
  ['top', 'from=now-7d&by=endpoint&limit=50&points=28&compare=previous'],
  ['top', 'from=now-24h&by=endpoint&limit=200&points=24&compare=previous'],
  ['top', 'from=now-6h&by=endpoint&limit=200&points=24'],
  ['top', 'from=now-1h&by=endpoint&limit=200&points=30&compare=previous'],
  ['top', 'from=now-14d&by=status&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['requests', 'from=now-14d'],
  ['requests', 'from=now-7d'],
  ['requests', 'from=now-24h'],
  ['requests', 'from=now-14d&service=service-7'],
  ['requests', 'from=now-14d&groupBy=status'],
  ['requests', 'from=now-14d&service=service-7&endpoint=/api/v1/resource-7/:id&groupBy=status'],
  ['messages', 'from=now-14d'],
  ['messages/groups', 'from=now-14d'],
  ['messages/groups', 'from=now-14d&service=service-7'],
  ['messages/groups', 'from=now-14d&service=service-7&endpoint=/api/v1/resource-7/:id'],
  ['calls', 'from=now-14d'],
  ['calls', 'from=now-24h&step=3600&limit=2000'],
  ['reporters', ''],
];

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const sql = openPostgres(databaseUrl, { max: 1 });
  await ensureDatabase(clickhouseUrl);
  // Merging a day into one part takes longer than any timeout of the service.
  const log = { level: ClickHouseLogLevel.OFF };
  const clickhouse = createClient({ url: clickhouseUrl, request_timeout: 900_000, log });
  await migrate({ sql, clickhouse, log: { debug() {}, info() {}, warn() {}, error() {} } });
  const by = { type: 'cli', id: 'bench', name: 'bench' } as const;
  const page = { slug: 'bench', hostname: 'bench.localhost' };
  const { id: pageId } = await createPage({ sql, clock: systemClock, by }, page);
  await sql`
    insert into sources (page_id, kind, source, first_seen_at)
    select ${pageId}, 'service', 'service-' || number, now() from generate_series(0, ${filling.services - 1}) as number`;
  line('Filling two weeks …');
  await fillRollups(clickhouse, pageId, filling);
  await merge(clickhouse);
  // The filling ends with the day. An odd minute cuts the first hour of every range.
  const now = Math.floor(Date.now() / dayMs) * dayMs + dayMs - 6 * hourMs - 23 * 60_000;
  const [, , part = ''] = process.argv;
  for (const [route, query] of reads.filter((read) => read.join('?').includes(part))) {
    await measure({ clickhouse, sql, pageId, now }, route, query);
  }
  await clickhouse.close();
  await sql.end();
});

/** Merges the parts of each table, as in the partitions of past days. */
async function merge(clickhouse: ClickHouseClient): Promise<void> {
  const tables = await clickhouse.query({
    query: `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'AggregatingMergeTree'`,
    format: 'JSONEachRow',
  });
  for (const { name } of await tables.json<{ name: string }>()) {
    await clickhouse.command({ query: `OPTIMIZE TABLE ${name} FINAL` });
  }
}

async function measure(page: Page, route: keyof typeof routes, query: string): Promise<void> {
  const name = `${route}?${query}`;
  const clickhouse = nameQueries(page.clickhouse, name);
  const times: number[] = [];
  for (let run = 0; run < runs + warmUps; run += 1) {
    const startedAt = performance.now();
    await routes[route]({ ...page, clickhouse }, Object.fromEntries(new URLSearchParams(query)));
    if (run >= warmUps) times.push(performance.now() - startedAt);
  }
  const p95 = times.sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;
  const { rows, processorMs } = await loadReadCost(page.clickhouse, name);
  const perRun = (number: number) => Math.round(number / (runs + warmUps)).toLocaleString('en');
  line(
    `${name.padEnd(92)} p50 ${median(times).toFixed(0).padStart(5)} ms, p95 ${p95.toFixed(0).padStart(5)} ms, ` +
      `${perRun(processorMs).padStart(6)} ms of processor, ${perRun(rows).padStart(9)} rows read` +
      (p95 > budgetMs ? '  over the budget' : ''),
  );
}
