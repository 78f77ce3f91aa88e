import type { PageId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

export const fillDays = 14;

const hoursPerInsert = 6;
const minutesPerInsert = hoursPerInsert * 60;

/** Writing takes memory for each thread, and a machine with many cores would use as many. */
export const frugal = 'SETTINGS max_threads = 2, max_insert_threads = 1';

/** Each minute has rows for `rowsPerMinute` of the endpoints; every endpoint belongs to one service. */
export type Filling = { rowsPerMinute: number; endpoints: number; services: number };

/**
 * Fills all tables through the landing table, like the service, with two weeks up to today: five response times in each
 * row of a minute, one row in twenty a failure with a message, and every service calls every minute.
 */
export async function fillRollups(
  clickhouse: ClickHouseClient,
  pageId: PageId,
  filling: Filling,
): Promise<void> {
  const end = Math.floor(Date.now() / dayMs) * dayMs + dayMs;
  for (let hour = fillDays * 24; hour > 0; hour -= hoursPerInsert) {
    const start = Math.floor((end - hour * hourMs) / 1000);
    await insert(clickhouse, pageId, start, requestRows(filling));
    await insert(clickhouse, pageId, start, reportRows(filling));
  }
}

const requestRows = ({ rowsPerMinute, endpoints, services }: Filling): string => `
  SELECT {page:UUID}, 'service', concat('service-', toString(e % ${services})),
    concat('/api/v1/resource-', toString(e), '/:id'), 'GET', if(number % 20 = 7, 500, 200) AS status,
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
    query: `INSERT INTO landing ${select} ${frugal}`,
    query_params: { page, start },
  });
}
