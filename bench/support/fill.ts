import { landingColumns } from '../../ingest/commit/encode-block.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { listTables, mergeTable, select } from './table-sizes.js';

/** Days that are filled of tables with minutes; of a table that is kept for longer, as many as it is kept or as are asked for. */
const fillDays = 14;

const hoursPerInsert = 6;
const minutesPerInsert = hoursPerInsert * 60;

/** Writing takes memory for each thread, and a machine with many cores would use as many. */
const frugal = 'SETTINGS max_threads = 2, max_insert_threads = 1';
/** Rows that a copy has in memory, with their histograms: 0.5 GB. */
const rowsPerCopy = 200_000;

/**
 * Each minute has rows for `rowsPerMinute` of the endpoints; every endpoint belongs to one service. `days` is for the
 * tables that keep more than two weeks.
 */
export type Filling = { rowsPerMinute: number; endpoints: number; services: number; days?: number };

/**
 * Fills all tables with two weeks up to the end of today, or to `until`: five response times in each row of a minute, one
 * row in twenty a failure with a message, and every service calls every minute. Yesterday goes through the landing table,
 * like the events of the service; the merged rows of each table are then copied to the other days, which takes a third of
 * the time. Parts are merged, as in the partitions of past days.
 */
export async function fillRollups(
  clickhouse: ClickHouseClient,
  pageId: PageId,
  filling: Filling,
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  for (let hour = 0; hour < 24; hour += hoursPerInsert) {
    const start = Math.floor((today - dayMs + hour * hourMs) / 1000);
    await insert(clickhouse, pageId, start, requestRows(filling));
    await insert(clickhouse, pageId, start, reportRows(filling));
  }
  for (const table of await listTables(clickhouse)) {
    await mergeTable(clickhouse, table);
    const { copy, keptDays } = await prepareCopy(clickhouse, table, today - dayMs);
    const filledDays = Math.max(fillDays, Math.min(keptDays, filling.days ?? fillDays));
    for (let days = 2 - filledDays; days <= 1; days += 1) {
      if (days !== 0) await clickhouse.command(copy(pageId, days, until));
    }
    await mergeTable(clickhouse, table);
  }
}

const requestRows = ({ rowsPerMinute, endpoints, services }: Filling): string => `
  SELECT {page:UUID}, 'service', concat('service-', toString(e % ${services})),
    concat('/api/v1/resource-', toString(e), '/:id'), ['GET', 'GET', 'POST', 'DELETE'][e % 4 + 1],
    if(number % 20 = 7, 500, 200) AS status,
    toDateTime({start:UInt32} + 60 * m, 'UTC') AS minute, 5, 5, 250000 + e,
    arrayMap(i -> reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(
      toFloat32(20 * exp(((cityHash64(number, i) % 1000) / 500) + e % 7 / 5))), 4294901760)), range(5)),
    [1, 1, 1, 1, 1], if(status = 500, concat('upstream answered 500 after ', toString(number % 30), ' s'), ''),
    minute, toDateTime64(0, 3, 'UTC')
  FROM (SELECT number, intDiv(number, ${rowsPerMinute}) AS m, (number * 7 + m) % ${endpoints} AS e
        FROM numbers(${minutesPerInsert * rowsPerMinute}))`;

const reportRows = ({ services }: Filling): string => `
  SELECT {page:UUID}, 'service', concat('service-', toString(number % ${services})), '', '', 0,
    toDateTime({start:UInt32} + 60 * intDiv(number, ${services}), 'UTC') AS minute, 30, 0, 0, [], [], '',
    toDateTime64(0, 3, 'UTC'), minute
  FROM numbers(${minutesPerInsert * services})`;

async function insert(
  clickhouse: ClickHouseClient,
  page: PageId,
  start: number,
  select: string,
): Promise<void> {
  await clickhouse.command({
    query: `INSERT INTO landing_blocks (${landingColumns.join(', ')}) ${select} ${frugal}`,
    query_params: { page, start },
  });
}

type Copy = (
  page: PageId,
  days: number,
  until: number,
) => { query: string; query_params: Record<string, unknown> };

/**
 * Returns the statement that copies a page's rows of one day to another one, each time of them as many days later, and how
 * many days the table keeps.
 */
async function prepareCopy(
  clickhouse: ClickHouseClient,
  table: string,
  dayStart: number,
): Promise<{ copy: Copy; keptDays: number }> {
  const columns = await select<{ name: string; type: string; partition: string; engine: string }>(
    clickhouse,
    `SELECT c.name AS name, c.type AS type, t.partition_key AS partition, t.engine_full AS engine
     FROM system.columns AS c CROSS JOIN system.tables AS t
     WHERE t.database = currentDatabase() AND t.name = '${table}' AND c.database = currentDatabase()
       AND c.table = '${table}' AND c.default_kind NOT IN ('MATERIALIZED', 'ALIAS')
     ORDER BY c.position`,
  );
  const { partition = '', engine = '' } = columns[0] ?? {};
  const time = /^to(?:YYYYMMDD|YYYYMM|Year)\((\w+)\)$/.exec(partition)?.[1];
  if (time === undefined) throw new Error(`The table ${table} has no partitions by time: ${partition}.`);
  const names = columns.map(({ name }) => name).join(', ');
  const values = columns.map(({ name, type }) => shifted(name, type)).join(', ');
  const copy: Copy = (page, days, until) => ({
    query: `
      INSERT INTO ${table} (${names}) SELECT ${values} FROM ${table} AS source
      WHERE page_id = {page:UUID} AND source.${time} >= toDateTime({from:UInt32}, 'UTC')
        AND source.${time} < toDateTime({before:UInt32}, 'UTC')
      SETTINGS max_threads = 1, max_insert_threads = 1, min_insert_block_size_rows = ${rowsPerCopy},
        min_insert_block_size_bytes = 1000000000`,
    query_params: {
      ...{ page, days, from: dayStart / 1000 },
      before: Math.floor(Math.min(dayStart + dayMs, until - days * dayMs) / 1000),
    },
  });
  const [, keptDays = Number.POSITIVE_INFINITY] = / TTL .*?toIntervalDay\((\d+)\)/.exec(engine) ?? [];
  return { copy, keptDays: Number(keptDays) };
}

/** The expression of a column in a copy. A tuple has its time in front. */
function shifted(name: string, type: string): string {
  const later = (value: string): string => `(${value} + toIntervalDay({days:Int32}))`;
  if (/^(SimpleAggregateFunction\(\w+, )?Date/.test(type)) return later(`source.${name}`);
  if (!/^SimpleAggregateFunction\(\w+, Tuple\(\w+ Date/.test(type)) return `source.${name}`;
  const elements = [...type.matchAll(/(?:\(|, )(\w+) /g)].map(([, element]) => `source.${name}.${element}`);
  return `tuple(${elements.map((element, i) => (i === 0 ? later(element) : element)).join(', ')})`;
}
