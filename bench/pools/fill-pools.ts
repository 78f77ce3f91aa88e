import type { PageId } from '../../lib/ids.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** Two weeks of processes that report each of their pools every minute. */
export const poolDays = 14;
export const poolProcesses = 200;
export const poolsPerProcess = 4;
/** End of the filled days: the end of today. */
export const poolRangeEnd = (): number => Math.floor(Date.now() / 86_400_000) * 86_400_000 + 86_400_000;

const hoursPerInsert = 4;

/**
 * Fills all tables of pools through pool_landing, like the service, and keeps the raw reports beyond their two days, for
 * comparison.
 */
export async function fillPools(clickhouse: ClickHouseClient, page: PageId): Promise<void> {
  await clickhouse.command({ query: 'SYSTEM STOP TTL MERGES pool_reports' });
  const start = poolRangeEnd() / 1000 - poolDays * 86_400;
  for (let hour = 0; hour < poolDays * 24; hour += hoursPerInsert) {
    await clickhouse.command({
      query: `INSERT INTO pool_landing (${columns.join(', ')}) ${rows}`,
      query_params: { page, start: start + hour * 3_600 },
    });
  }
}

const columns = [
  ...['page_id', 'block_id', 'kind', 'session', 'sequence', 'service', 'environment', 'revision'],
  ...['started_at', 'interval_from', 'interval_to', 'minute', 'received_at'],
  ...['system', 'target', 'pool', 'server_pool', 'driver_version', 'coverage'],
  ...['open', 'busy', 'idle', 'waiting', 'peak_open', 'peak_busy', 'peak_waiting'],
  ...['acquisition_counts', 'acquisition_sum_us', 'failures', 'created', 'closed', 'minimum', 'maximum'],
];

const rows = `
  SELECT {page:UUID}, toUUID('00000000-0000-0000-0000-000000000001'), 'pool',
    reinterpretAsUUID(sipHash128(process)), m, 'checkout', 'production', 'f3c9a51',
    toDateTime64({start:UInt32}, 3, 'UTC'), toDateTime64(at, 3, 'UTC'), toDateTime64(at + 60, 3, 'UTC'),
    toDateTime(at, 'UTC'), toDateTime64(at + 61, 3, 'UTC'),
    'mongodb', concat('cluster-', toString(intDiv(p, 2))), concat('pool-', toString(p)), 'primary', '7.1.0', 'complete',
    busy + idle, busy, idle, waiting, busy + idle + 2, busy + 2, waiting + 1,
    arrayMap(i -> intDiv(h % (200 + i), (i + 1) * (i + 1)), range(11)), h % 3000000, h % 2, h % 3, h % 3, 0, 50
  FROM
  (
    SELECT number % ${poolsPerProcess} AS p, intDiv(number, ${poolsPerProcess}) % ${poolProcesses} AS process,
      intDiv(number, ${poolsPerProcess * poolProcesses}) AS m, {start:UInt32} + 60 * m AS at,
      cityHash64(number, {start:UInt32}) AS h, h % 40 AS busy, h % 7 AS idle, if(h % 50 = 0, h % 5, 0) AS waiting
    FROM numbers(${hoursPerInsert * 60 * poolsPerProcess * poolProcesses})
  )`;
