import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** Names of tables with rows of events. */
export async function listTables(clickhouse: ClickHouseClient): Promise<string[]> {
  const rows = await select<{ name: string }>(
    clickhouse,
    `SELECT name FROM system.tables
     WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND total_rows > 0
       AND name NOT IN ('migrations', 'kept_since')
     ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

/** Merges all tables with rows of events, a partition at a time, and returns their sizes. */
export async function mergeTables(
  clickhouse: ClickHouseClient,
): Promise<{ name: string; rows: number; bytes: number }[]> {
  const sizes = [];
  for (const name of await listTables(clickhouse))
    sizes.push({ name, ...(await mergeTable(clickhouse, name)) });
  return sizes;
}

/** Merges the parts of each partition, as background merges do in the end, and returns the size. */
export async function mergeTable(
  clickhouse: ClickHouseClient,
  table: string,
): Promise<{ rows: number; bytes: number }> {
  for (const { id, parts } of await listPartitions(clickhouse, table)) {
    // The rows of one part have different keys.
    if (Number(parts) > 1) await mergePartition(clickhouse, table, id);
  }
  const [size] = await select<{ rows: string; bytes: string }>(
    clickhouse,
    `SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
     WHERE active AND database = currentDatabase() AND table = '${table}'`,
  );
  return { rows: Number(size?.rows), bytes: Number(size?.bytes) };
}

async function mergePartition(clickhouse: ClickHouseClient, table: string, id: string): Promise<void> {
  await clickhouse.command({ query: `OPTIMIZE TABLE ${table} PARTITION ID '${id}' FINAL` });
}

/** Partitions by day, mostly; a statement on one of them stays well below the client's timeout. */
export async function listPartitions(
  clickhouse: ClickHouseClient,
  table: string,
): Promise<{ id: string; parts: string }[]> {
  return select(
    clickhouse,
    `SELECT partition_id AS id, count() AS parts FROM system.parts
     WHERE active AND database = currentDatabase() AND table = '${table}' GROUP BY id ORDER BY id`,
  );
}

/** The share of histograms in the bytes of a table. Rewrites the table. */
export async function histogramShare(clickhouse: ClickHouseClient, table: string): Promise<number> {
  // Small parts are compact, and ClickHouse does not know how many bytes of one each column takes.
  await clickhouse.command({
    query: `ALTER TABLE ${table} MODIFY SETTING min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0`,
  });
  for (const { id } of await listPartitions(clickhouse, table)) await mergePartition(clickhouse, table, id);
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
