import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** Names of tables with rows of events. */
async function listTables(clickhouse: ClickHouseClient): Promise<string[]> {
  const rows = await select<{ name: string }>(
    clickhouse,
    `SELECT name FROM system.tables
     WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND total_rows > 0 AND name != 'migrations'
     ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

/** Merges all tables with rows of events, a day at a time, and returns their sizes. */
export async function mergeTables(
  clickhouse: ClickHouseClient,
): Promise<{ name: string; rows: number; bytes: number }[]> {
  const sizes = [];
  for (const name of await listTables(clickhouse))
    sizes.push({ name, ...(await mergeTable(clickhouse, name)) });
  return sizes;
}

/** Sizes after OPTIMIZE, the final result of background merges. */
export async function mergeTable(
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

/** Partitions by day; a statement on one of them stays well below the client's timeout. */
export async function listPartitions(clickhouse: ClickHouseClient, table: string): Promise<string[]> {
  const rows = await select<{ id: string }>(
    clickhouse,
    `SELECT DISTINCT partition_id AS id FROM system.parts
     WHERE active AND database = currentDatabase() AND table = '${table}' ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** The share of histograms in the bytes of a merged table. */
export async function histogramShare(clickhouse: ClickHouseClient, table: string): Promise<number> {
  // Small parts are compact, and ClickHouse does not know how many bytes of one each column takes.
  await clickhouse.command({
    query: `ALTER TABLE ${table} MODIFY SETTING min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0`,
  });
  await mergeTable(clickhouse, table);
  const columns = await select<{ type: string; bytes: string }>(
    clickhouse,
    `SELECT type, data_compressed_bytes AS bytes FROM system.columns
     WHERE database = currentDatabase() AND table = '${table}'`,
  );
  const sum = (counted: readonly { bytes: string }[]): number =>
    counted.reduce((total, { bytes }) => total + Number(bytes), 0);
  return sum(columns.filter(isHistogram)) / sum(columns);
}

/** Whether a column holds histograms: no other column is an aggregate state, an array or a map. */
export function isHistogram({ type }: { type: string }): boolean {
  return /^AggregateFunction\(|Array\(|Map\(/.test(type);
}

export async function select<Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> {
  return (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Row>();
}
