import { loadCalls, parseCallsQuery } from '../../analytics/calls.js';
import { parseTopQuery, parseTotalsQuery } from '../../analytics/figures/parse-figures.js';
import { loadTop } from '../../analytics/figures/top-groups.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import { loadMessageGroups, parseMessageGroupsQuery } from '../../analytics/message-groups.js';
import { loadMessages, parseMessagesQuery } from '../../analytics/messages.js';
import { loadReporters } from '../../analytics/reporters.js';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import type { FilledPage } from '../support/filled-page.js';
import { type Judged, meets } from '../support/goals.js';
import { loadReadCost, nameQueries } from '../support/read-cost.js';
import { line, median, quantile } from '../support/report.js';

type Query = Record<string, string>;

/** How each route reads, with the query of a request. */
const routes = {
  totals: ({ clickhouse, pageId, now }: FilledPage, query: Query) =>
    loadTotals({ clickhouse }, pageId, parseTotalsQuery(query, now), now),
  top: ({ clickhouse, pageId, now }: FilledPage, query: Query) =>
    loadTop({ clickhouse }, pageId, parseTopQuery(query, now), now),
  requests: ({ clickhouse, pageId, now }: FilledPage, query: Query) =>
    loadRequests({ clickhouse }, pageId, parseRequestsQuery(query, now)),
  messages: ({ clickhouse, pageId, now }: FilledPage, query: Query) =>
    loadMessages({ clickhouse }, pageId, parseMessagesQuery(query, now)),
  'messages/groups': ({ clickhouse, pageId, now }: FilledPage, query: Query) =>
    loadMessageGroups({ clickhouse }, pageId, parseMessageGroupsQuery(query, now)),
  calls: ({ clickhouse, sql, pageId, now }: FilledPage, query: Query) =>
    loadCalls({ clickhouse, sql }, pageId, parseCallsQuery(query, now)),
  reporters: ({ clickhouse, sql, pageId, now }: FilledPage) =>
    loadReporters({ clickhouse, sql, clock: { now: () => now } }, pageId, { windowSeconds: 3_600 }),
};

/** A route and the query of a request. */
export type Read = readonly [route: keyof typeof routes, query: string];

const runs = 20;
/** The first runs fill the caches of the server and of the client, and do not count. */
const warmUps = 2;
const bound = { atMost: 100 };

/** Measures each read and prints its row. Returns the worst read beside the goal for each. */
export async function measureReads(page: FilledPage, reads: readonly Read[]): Promise<Judged> {
  line(`\n${'read'.padEnd(94)}      p50      p95  processor  rows read  p95 ${bound.atMost} ms or less`);
  const worst = { name: '', p95: Number.NEGATIVE_INFINITY };
  let met = 0;
  for (const read of reads) {
    const { name, p95 } = await measure(page, read);
    if (p95 > worst.p95) Object.assign(worst, { name, p95 });
    if (meets(p95, bound)) met += 1;
  }
  line(`${met} of ${reads.length} reads met the goal; the worst is ${worst.name}`);
  return {
    goal: `worst p95 of ${reads.length} reads`,
    ...{ bound, measured: worst.p95, digits: 0, unit: ' ms' },
  };
}

async function measure(page: FilledPage, [route, query]: Read): Promise<{ name: string; p95: number }> {
  const name = `${route}?${query}`;
  const clickhouse = nameQueries(page.clickhouse, name);
  const read = () => routes[route]({ ...page, clickhouse }, Object.fromEntries(new URLSearchParams(query)));
  for (let run = 0; run < warmUps; run += 1) await read();
  const before = await loadReadCost(page.clickhouse, name);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now();
    await read();
    times.push(performance.now() - startedAt);
  }
  const p95 = quantile(times, 0.95);
  const after = await loadReadCost(page.clickhouse, name);
  const perRun = (figure: 'rows' | 'processorMs') =>
    Math.round((after[figure] - before[figure]) / runs).toLocaleString('en');
  line(
    `${name.padEnd(94)} ${median(times).toFixed(0).padStart(5)} ms ${p95.toFixed(0).padStart(5)} ms ` +
      `${perRun('processorMs').padStart(7)} ms ${perRun('rows').padStart(10)}  ${meets(p95, bound) ? 'met' : 'NOT MET'}`,
  );
  return { name, p95 };
}
