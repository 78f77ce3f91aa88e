import type { ClickHouseClient } from '@clickhouse/client';
import {
  type CurrentPool,
  type DatabaseHealthAnswer,
  databaseHealthLimits,
  type PoolDimension,
  poolDimensions,
} from '../contract/database-health.js';
import { poolGauges, poolPeaks } from '../contract/pool-reports.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { loadRows } from '../sql/load-rows.js';
import { columnOf, conditionOf, type PoolFilters } from './query.js';

type Row = Record<PoolDimension, string> &
  Pick<CurrentPool, 'processes'> & {
    reportedMs: number;
    partial: 0 | 1;
    gauges: (number | null)[];
    peaks: (number | null)[];
  };

/**
 * Loads the pools as they are now: the sum over the processes of each process's interval that ends last, whenever it
 * arrived, unless it ended too long ago. A restarted process counts twice until the reports of its former session are
 * too old.
 */
export async function loadCurrentPools(
  { clickhouse, clock }: { clickhouse: ClickHouseClient; clock: Clock },
  pageId: PageId,
  filters: PoolFilters,
): Promise<DatabaseHealthAnswer['current']> {
  const { currentSecondsMax, currentPools } = databaseHealthLimits;
  const since = clock.now() - currentSecondsMax * 1000;
  const { where, parameters } = conditionOf(pageId, filters);
  const columns = poolDimensions.map(columnOf).join(', ');
  const someOnly = poolGauges.map((gauge) => `count(n.${gauge}) BETWEEN 1 AND count() - 1`);
  const rows = await loadRows<Row>(
    clickhouse,
    `SELECT
       service, environment, system, target, pool, server_pool AS serverPool,
       count() AS processes,
       toUnixTimestamp64Milli(max(n.at)) AS reportedMs,
       max(n.coverage = 'partial') OR ${someOnly.join(' OR ')} AS partial,
       [${poolGauges.map((gauge) => `sum(n.${gauge})`).join(', ')}] AS gauges,
       [${poolPeaks.map((gauge) => `max(n.peak_${gauge})`).join(', ')}] AS peaks
     FROM
     (
       SELECT ${columns}, session, max(newest) AS n
       FROM process_pools_minute
       WHERE ${where} AND minute >= toStartOfMinute(fromUnixTimestamp64Milli({since:Int64} - 1))
       GROUP BY ${columns}, session
       HAVING n.at >= fromUnixTimestamp64Milli({since:Int64})
     )
     GROUP BY ${columns} ORDER BY ${columns} LIMIT {limit:UInt32}`,
    { ...parameters, since, limit: currentPools + 1 },
  );
  return { pools: rows.slice(0, currentPools).map(toPool), truncated: rows.length > currentPools };
}

function toPool({ reportedMs, partial, gauges, peaks, processes, ...dimensions }: Row): CurrentPool {
  const [open = null, busy = null, idle = null, waiting = null] = gauges;
  const [peakOpen = null, peakBusy = null, peakWaiting = null] = peaks;
  return {
    ...dimensions,
    processes,
    coverage: partial ? 'partial' : 'complete',
    reportedAt: new Date(reportedMs).toISOString(),
    snapshot: { open, busy, idle, waiting },
    peaks: { open: peakOpen, busy: peakBusy, waiting: peakWaiting },
  };
}
