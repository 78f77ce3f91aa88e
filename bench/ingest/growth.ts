import { join } from 'node:path';
import { listPages } from '../../control/pages/index.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { type Filling, fillRollups } from '../support/fill.js';
import { type Heartline, startHeartline, stopHeartline } from '../support/heartline.js';
import { type LoadJob, measureLoad } from '../support/load.js';
import { line } from '../support/report.js';
import { type Stores, withStores } from '../support/stores.js';

/**
 * Measures throughput with ten times as many rows stored. Two installations take turns instead of one that grows: the
 * machine's speed drifts more within the minutes of filling than the rows could cost.
 */
const small = { rowsPerMinute: 25, endpoints: 200, services: 2 };
const large = { rowsPerMinute: 250, endpoints: 2_000, services: 20 };
const rounds = 9;
const seconds = 5;
const warmUpSeconds = 3;
const load = { eventsPerBatch: 1000, connections: 8, depth: 16 };

await withStores(async (smallStores) => {
  await withStores(async (largeStores) => {
    const before = await prepare(smallStores, small);
    const after = await prepare(largeStores, large);
    await measure(before, warmUpSeconds);
    await measure(after, warmUpSeconds);
    const ratios: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      // The second one competes with merges that the first one left, so the order alternates.
      const order = round % 2 === 0 ? [before, after] : [after, before];
      const rates = new Map<Heartline, number>();
      for (const target of order) rates.set(target, await measure(target, seconds));
      const [rateBefore = Number.NaN, rateAfter = Number.NaN] = [rates.get(before), rates.get(after)];
      ratios.push(rateAfter / rateBefore);
      line(
        `  round ${round}: ${kilo(rateBefore)} and ${kilo(rateAfter)} k events/s, ${(rateAfter / rateBefore).toFixed(2)}`,
      );
    }
    ratios.sort((a, b) => a - b);
    line(`after/before ${ratios[rounds >> 1]?.toFixed(2)} (median of ${rounds} rounds of ${seconds} s)`);
    await report(smallStores, 'before');
    await report(largeStores, 'after');
    await stopHeartline(before);
    await stopHeartline(after);
  });
});

async function prepare(stores: Stores, filling: Filling): Promise<Heartline> {
  const eventLog = { dir: join(stores.dataDir, 'event-log'), bytesMax: 2 ** 30 };
  const heartline = await startHeartline({ ...stores, eventLog });
  const sql = openPostgres(stores.databaseUrl, { max: 1 });
  const [page] = await listPages({ sql });
  await sql.end();
  if (page === undefined) throw new Error('The service has no page.');
  const clickhouse = openClickHouse(stores.clickhouseUrl);
  await fillRollups(clickhouse, page.id, filling);
  await clickhouse.close();
  await report(stores, `filled with ${filling.rowsPerMinute} rows a minute`);
  return heartline;
}

async function report({ clickhouseUrl }: Stores, name: string): Promise<void> {
  const clickhouse = openClickHouse(clickhouseUrl);
  const result = await clickhouse.query({
    query: `SELECT table, sum(rows) AS rows, count() AS parts FROM system.parts
            WHERE active AND database = currentDatabase() GROUP BY table ORDER BY table`,
    format: 'JSONEachRow',
  });
  const tables = await result.json<{ table: string; rows: string; parts: string }>();
  await clickhouse.close();
  const cells = tables.map(({ table, rows, parts }) => `${table} ${rows} rows in ${parts} parts`);
  line(`${name}: ${cells.join(', ')}`);
}

async function measure({ port, key }: Heartline, forSeconds: number): Promise<number> {
  const job: LoadJob = { ...load, port, key, path: '/api/v1/events', format: 'json', seconds: forSeconds };
  const result = await measureLoad(job);
  if (result.refused > 0) line(`  refused: ${result.refused} batches`);
  return (result.requests * load.eventsPerBatch) / result.seconds;
}

function kilo(rate: number): string {
  return (rate / 1000).toFixed(0);
}
