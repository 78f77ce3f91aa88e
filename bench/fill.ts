import type { PageId } from '../contract/ids.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';

export const fillDays = 14;
const endpoints = 2_000;
const services = 20;
const dayMs = 86_400_000;

/**
 * Fills all four tables through the landing table, as the service does, with two weeks that end with today: each
 * minute has rows of `rowsPerMinute` of 2,000 endpoints of 20 services, five response times each, one row in twenty
 * a failure with a message.
 */
export async function fillRollups(
  clickhouse: ClickHouseClient,
  pageId: PageId,
  rowsPerMinute: number,
): Promise<void> {
  const end = Math.floor(Date.now() / dayMs) * dayMs + dayMs;
  for (let day = fillDays; day > 0; day -= 1) {
    const start = Math.floor((end - day * dayMs) / 1000);
    await insert(clickhouse, pageId, start, requestRows(rowsPerMinute));
    await insert(clickhouse, pageId, start, reportRows);
  }
}

const requestRows = (rowsPerMinute: number): string => `
  SELECT {page:UUID}, 'service', concat('service-', toString(e % ${services})),
    concat('/api/v1/resource-', toString(e), '/:id'), 'GET', if(number % 20 = 7, 500, 200) AS status,
    toDateTime({start:UInt32} + 60 * m, 'UTC') AS minute, 5, 5, 250000 + e,
    arrayMap(i -> reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(
      toFloat32(20 * exp(((cityHash64(number, i) % 1000) / 500) + e % 7 / 5))), 4294901760)), range(5)),
    [1, 1, 1, 1, 1], if(status = 500, concat('upstream answered 500 after ', toString(number % 30), ' s'), ''),
    minute, toDateTime64(0, 3, 'UTC')
  FROM (SELECT number, intDiv(number, ${rowsPerMinute}) AS m, (number * 7 + m) % ${endpoints} AS e
        FROM numbers(${1440 * rowsPerMinute}))`;

const reportRows = `
  SELECT {page:UUID}, 'service', concat('service-', toString(number % ${services})), '', '', 0,
    toDateTime({start:UInt32} + 60 * intDiv(number, ${services}), 'UTC') AS minute, 30, 0, 0, [], [], '',
    toDateTime64(0, 3, 'UTC'), minute
  FROM numbers(${1440 * services})`;

async function insert(
  clickhouse: ClickHouseClient,
  page: PageId,
  start: number,
  select: string,
): Promise<void> {
  await clickhouse.command({ query: `INSERT INTO landing ${select}`, query_params: { page, start } });
}
