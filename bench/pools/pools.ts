import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { cliActor } from '../../control/audit/index.js';
import { createKey } from '../../control/keys/index.js';
import { changePage, createPage } from '../../control/pages/index.js';
import type { DatabaseHealthQuery } from '../../database-health/query.js';
import { loadPoolSeries } from '../../database-health/series.js';
import { systemClock } from '../../lib/clock.js';
import { newId, type PageId } from '../../lib/ids.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { startHeartline, stopHeartline } from '../support/heartline.js';
import { line, median } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';
import { fillPools, poolDays, poolProcesses, poolRangeEnd, poolsPerProcess } from './fill-pools.js';
import type { PoolLoadJob, PoolLoadResult } from './pool-load-process.js';

/** Measures pool reports: at the rate that 20 pages may send, as fast as possible, and queries over two weeks of them. */
const runs = 9;
const pacedPages = 20;
const saturatedPages = 60;
/** First calls take longer: a process that has just started answers some reports only after half a second. */
const warmUpSeconds = 10;

await withStores(async (stores) => {
  const heartline = await startHeartline(stores);
  const keys = await makePages(stores, 2 * pacedPages + saturatedPages);
  const [first, second] = [keys.splice(0, pacedPages), keys.splice(0, pacedPages)];
  const sender = fork(new URL('./pool-load-process.js', import.meta.url));
  const { port } = heartline;
  const cold = await load(sender, { kind: 'paced', port, keys: first, seconds: warmUpSeconds });
  report(`the first ${warmUpSeconds} s of a process`, cold);
  const paced = await load(sender, { kind: 'paced', port, keys: second, seconds: 60 });
  report(`1,024 reports a minute on each of ${pacedPages} pages, for a minute`, paced);
  const saturated = await load(sender, {
    ...{ kind: 'saturated', port, keys, seconds: 8 },
  });
  report('as many as go', saturated);
  sender.disconnect();
  await stopHeartline(heartline);
  await measureReads(stores);
});

async function makePages({ databaseUrl }: Stores, count: number): Promise<string[]> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  const deps = { sql, clock: systemClock, by: cliActor('bench') };
  const keys: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const slug = `pools-${i}`;
    const { id: pageId } = await createPage(deps, { slug, hostname: `${slug}.localhost` });
    await changePage(deps, pageId, { databaseHealthEnabled: true });
    keys.push((await createKey(deps, { pageId, scope: 'ingest' })).key);
  }
  await sql.end();
  return keys;
}

async function load(sender: ChildProcess, job: PoolLoadJob): Promise<PoolLoadResult> {
  sender.send(job);
  const [result] = (await once(sender, 'message')) as [PoolLoadResult];
  return result;
}

function report(name: string, result: PoolLoadResult): void {
  const { accepted, refused, failed, seconds, p50Ms, p99Ms, worstMs } = result;
  line(
    `${name}: ${(accepted / seconds).toFixed(0)} reports/s, ${refused} refused, ${failed} failed, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, worst ${worstMs.toFixed(0)} ms`,
  );
}

async function measureReads({ clickhouseUrl }: Stores): Promise<void> {
  const clickhouse = createClient({
    url: clickhouseUrl,
    request_timeout: 300_000,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const page = newId<PageId>(Date.now());
  const startedAt = performance.now();
  await fillPools(clickhouse, page);
  line(
    `\n${poolDays} days of ${poolProcesses} processes of ${poolsPerProcess} pools filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  await reportSizes(clickhouse);
  const to = poolRangeEnd();
  const range = { to, from: to - poolDays * 86_400_000, now: to };
  const question = { ...range, filters: {}, groupBy: null, limit: 20 };
  await compare(clickhouse, page, 'p95 of all pools, one-hour steps', { ...question, stepSeconds: 3_600 });
  await compare(clickhouse, page, 'p95 of each pool, one-day steps', {
    ...{ ...question, stepSeconds: 86_400, groupBy: 'pool' },
  });
  await clickhouse.close();
}

async function reportSizes(clickhouse: ClickHouseClient): Promise<void> {
  for (const table of ['pool_reports', 'process_pools_minute', 'pools_minute']) {
    const result = await clickhouse.query({
      query: `SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
              WHERE active AND database = currentDatabase() AND table = {table:String}`,
      query_params: { table },
      format: 'JSONEachRow',
    });
    const [size] = await result.json<{ rows: string; bytes: string }>();
    line(
      `  ${table}: ${(Number(size?.rows) / 1e6).toFixed(2)} M rows, ${(Number(size?.bytes) / 1e6).toFixed(0)} MB`,
    );
  }
}

/** Runs the route's query in turn with the same query on the raw reports. */
async function compare(
  clickhouse: ClickHouseClient,
  page: PageId,
  name: string,
  query: DatabaseHealthQuery,
): Promise<void> {
  const [rollup, raw]: [number[], number[]] = [[], []];
  for (let run = 0; run <= runs; run += 1) {
    const ours = await time(() => loadPoolSeries({ clickhouse }, page, query));
    if (run > 0) rollup.push(ours); // The first one warms up.
    if (run < 3) raw.push(await time(() => scanRaw(clickhouse, page, query)));
  }
  const [rollupMs, rawMs] = [median(rollup), median(raw)];
  line(
    `${name}: median ${rollupMs.toFixed(0)} ms, worst ${Math.max(...rollup).toFixed(0)} ms of ${runs}; the raw reports take ${rawMs.toFixed(0)} ms, ${(rawMs / rollupMs).toFixed(0)} times as long`,
  );
}

async function scanRaw(
  clickhouse: ClickHouseClient,
  page: PageId,
  { from, to, stepSeconds, groupBy }: DatabaseHealthQuery,
): Promise<void> {
  const result = await clickhouse.query({
    query: `SELECT ${groupBy ?? 'NULL'} AS group, intDiv(toUnixTimestamp(minute), {step:UInt32}) AS step,
              sumForEach(acquisition_counts) AS counts
            FROM pool_reports WHERE page_id = {page:UUID} AND kind = 'pool'
              AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
            GROUP BY group, step`,
    query_params: { page, from: from / 1000, to: to / 1000, step: stepSeconds },
    format: 'JSONEachRow',
  });
  if ((await result.json()).length === 0) throw new Error('The raw reports are missing.');
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
