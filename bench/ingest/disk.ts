import { Agent } from 'node:http';
import { listPages } from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs } from '../../lib/times.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { makeBatch } from '../support/batches.js';
import { fillDays, fillRollups } from '../support/fill.js';
import { startHeartline, stopHeartline } from '../support/heartline.js';
import { postBatch } from '../support/post-batch.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/** Measures what the rows cost on disk, and what the types and codecs of the columns save. */
const batches = 5_000;
const eventsPerBatch = 1_000;
/** Many connections, since an answer waits for its insert, and inserts leave ten times a second. */
const senders = 64;
const filling = { rowsPerMinute: 200, endpoints: 2_000, services: 20 };

/** Other declarations of requests_minute; each changes some text of the original statement. */
const variants: readonly { name: string; change(statement: string): string }[] = [
  { name: 'as it is', change: (statement) => statement },
  {
    name: 'LowCardinality names',
    change: (statement) => changeNames(statement, 'LowCardinality(String)', ''),
  },
  { name: 'names CODEC(ZSTD)', change: (statement) => changeNames(statement, 'String', 'CODEC(ZSTD(1))') },
  {
    name: 'no codecs (LZ4)',
    change: (statement) => statement.replaceAll(/ CODEC\((?:[^()]|\([^()]*\))*\)/g, ''),
  },
  {
    name: 'ZSTD alone, without T64 and DoubleDelta',
    change: (statement) => statement.replaceAll(/CODEC\((T64|DoubleDelta), /g, 'CODEC('),
  },
];

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const heartline = await startHeartline({ databaseUrl, clickhouseUrl });
  const sql = openPostgres(databaseUrl, { max: 1 });
  const [page] = await listPages({ sql });
  await sql.end();
  if (page === undefined) throw new Error('The service has no page.');
  const clickhouse = openClickHouse(clickhouseUrl);

  const events = await ingest(heartline);
  line(`${events / 1e6} M events of 50 endpoints within an hour, through the API`);
  await reportTables(clickhouse, events);
  await reportColumns(clickhouse);
  await compareVariants(clickhouse);

  for (const table of await listTables(clickhouse))
    await clickhouse.command({ query: `TRUNCATE TABLE ${table}` });
  await stopHeartline(heartline);
  await reportFilled(clickhouse, page.id);
  await clickhouse.close();
});

async function reportFilled(clickhouse: ClickHouseClient, pageId: PageId): Promise<void> {
  await fillRollups(clickhouse, pageId, filling);
  const filled = fillDays * 1440 * filling.rowsPerMinute * 5;
  line(
    `\n${filled / 1e6} M events of 2,000 endpoints within ${fillDays} days, five in a row of a minute, through SQL`,
  );
  await reportTables(clickhouse, filled);
  await reportColumns(clickhouse);
  await compareVariants(clickhouse);
}

async function ingest(target: { port: number; key: string }): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const end = Math.floor(Date.now() / hourMs) * hourMs;
  let next = 0;
  let accepted = 0;
  const send = async (): Promise<void> => {
    for (let batch = next++; batch < batches; batch = next++) {
      // Each batch reaches two seconds back; the first one stays within the hour as well.
      const at = end - hourMs + 2_000 + (batch / batches) * (hourMs - 2_000);
      const answer = await postBatch(agent, target, makeBatch(eventsPerBatch, batch + 1, at));
      accepted += answer.accepted;
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  agent.destroy();
  return accepted;
}

async function listTables(clickhouse: ClickHouseClient): Promise<string[]> {
  const rows = await select<{ name: string }>(
    clickhouse,
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'AggregatingMergeTree' ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

async function reportTables(clickhouse: ClickHouseClient, events: number): Promise<void> {
  let total = 0;
  for (const table of await listTables(clickhouse)) {
    const { rows, bytes } = await measure(clickhouse, table);
    total += bytes;
    line(
      `  ${table.padEnd(24)} ${String(rows).padStart(8)} rows ${megabytes(bytes)} MB; per million events ${megabytes((bytes / events) * 1e6)} MB, per million rows ${megabytes((bytes / rows) * 1e6)} MB`,
    );
  }
  line(
    `  ${'all'.padEnd(24)} ${''.padStart(8)}      ${megabytes(total)} MB; per million events ${megabytes((total / events) * 1e6)} MB`,
  );
}

async function reportColumns(clickhouse: ClickHouseClient): Promise<void> {
  const columns = await select<{ name: string; bytes: string }>(
    clickhouse,
    `SELECT name, data_compressed_bytes AS bytes FROM system.columns
     WHERE database = currentDatabase() AND table = 'requests_minute' ORDER BY data_compressed_bytes DESC`,
  );
  const { rows } = await measure(clickhouse, 'requests_minute');
  const cells = columns.map(({ name, bytes }) => `${name} ${(Number(bytes) / rows).toFixed(2)}`);
  line(`  bytes a row of requests_minute: ${cells.join(', ')}`);
}

async function compareVariants(clickhouse: ClickHouseClient): Promise<void> {
  const [shown] = await select<{ statement: string }>(clickhouse, 'SHOW CREATE TABLE requests_minute');
  if (shown === undefined) throw new Error('The table requests_minute does not exist.');
  for (const { name, change } of variants) {
    const changed = change(shown.statement);
    if (name !== 'as it is' && changed === shown.statement) throw new Error(`"${name}" changes nothing.`);
    await clickhouse.command({ query: changed.replace('.requests_minute', '.variant') });
    for (const day of await listPartitions(clickhouse, 'requests_minute')) {
      const query = `INSERT INTO variant SELECT * FROM requests_minute WHERE _partition_id = '${day}'`;
      await clickhouse.command({ query });
    }
    const { bytes } = await measure(clickhouse, 'variant');
    const [part] = await select<{ names: string; numbers: string; sketches: string }>(
      clickhouse,
      `SELECT sumIf(data_compressed_bytes, name IN ('service', 'endpoint', 'method')) AS names,
              sumIf(data_compressed_bytes, name = 'latency_sketch') AS sketches,
              sum(data_compressed_bytes) - names - sketches AS numbers
       FROM system.columns WHERE database = currentDatabase() AND table = 'variant'`,
    );
    await clickhouse.command({ query: 'DROP TABLE variant SYNC' });
    line(
      `  ${name.padEnd(38)} ${megabytes(bytes)} MB: names ${megabytes(Number(part?.names))}, numbers ${megabytes(Number(part?.numbers))}, histograms ${megabytes(Number(part?.sketches))}`,
    );
  }
}

function changeNames(statement: string, type: string, codec: string): string {
  return statement.replaceAll(
    /(`(?:service|endpoint|method)`) String( COMMENT '[^']*')/g,
    `$1 ${type}$2 ${codec}`,
  );
}

/** Partitions by day; a statement on one of them stays well below the client's timeout. */
async function listPartitions(clickhouse: ClickHouseClient, table: string): Promise<string[]> {
  const rows = await select<{ id: string }>(
    clickhouse,
    `SELECT DISTINCT partition_id AS id FROM system.parts
     WHERE active AND database = currentDatabase() AND table = '${table}' ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** Sizes after OPTIMIZE, the final result of background merges. */
async function measure(
  clickhouse: ClickHouseClient,
  table: string,
): Promise<{ rows: number; bytes: number }> {
  for (const day of await listPartitions(clickhouse, table)) {
    await clickhouse.command({ query: `OPTIMIZE TABLE ${table} PARTITION ID '${day}' FINAL` });
  }
  const [size] = await select<{ rows: string; bytes: string }>(
    clickhouse,
    `SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
     WHERE active AND database = currentDatabase() AND table = '${table}'`,
  );
  return { rows: Number(size?.rows), bytes: Number(size?.bytes) };
}

async function select<Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> {
  return (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Row>();
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2).padStart(7);
}
