import type { ClickHouseClient } from '@clickhouse/client';
import type { PageId } from '../lib/ids.js';
import { minuteMs } from '../lib/times.js';
import { loadRows } from '../sql/load-rows.js';
import { acquisitionCounts, bucketPercentile } from './series.js';

/** Windows of pages that end together. `to` is a whole minute in milliseconds since the epoch. */
export type PoolWindowsAsked = { pageIds: readonly PageId[]; windowsMinutes: readonly number[]; to: number };

/** The figures of a pool over a window and all of its processes; null where none was measured. */
export type PoolWindow = {
  pageId: PageId;
  service: string;
  environment: string;
  target: string;
  pool: string;
  windowMinutes: number;
  /** The most callers of one process that waited at once. */
  waiting: number | null;
  /** Busy connections in percent of the most that there may be. */
  utilization: number | null;
  /** The bound of its bucket; infinite for the bucket that has none. */
  acquisitionP95Ms: number | null;
  /** Callers that got no connection. */
  failures: number | null;
};

type Row = Pick<PoolWindow, 'pageId' | 'service' | 'environment' | 'target' | 'pool' | 'windowMinutes'> & {
  waiting: number | null;
  failures: number | null;
  busy: number | null;
  maximum: number | null;
  counts: (number | null)[];
};

/**
 * Loads the figures of the pools of pages over windows, in one read. A pool without a report in a window has no figures for
 * it. The pools of one server within a process count together.
 */
export async function loadPoolWindows(
  { clickhouse }: { clickhouse: ClickHouseClient },
  { pageIds, windowsMinutes, to }: PoolWindowsAsked,
): Promise<PoolWindow[]> {
  const from = to - Math.max(...windowsMinutes) * minuteMs;
  const rows = await loadRows<Row>(
    clickhouse,
    `SELECT
       page_id AS pageId, service, environment, target, pool, windowMinutes,
       max(p.peak_waiting) AS waiting,
       sum(p.failures) AS failures,
       sum(p.capacity_busy) AS busy,
       sum(p.capacity_maximum) AS maximum,
       ${acquisitionCounts} AS counts
     FROM pools_minute AS p ARRAY JOIN {windows:Array(UInt16)} AS windowMinutes
     WHERE page_id IN {pages:Array(UUID)}
       AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
       AND toUnixTimestamp(minute) >= {to:UInt32} - windowMinutes * 60
     GROUP BY pageId, service, environment, target, pool, windowMinutes`,
    {
      ...{ pages: [...pageIds], windows: [...windowsMinutes] },
      ...{ from: from / 1_000, to: to / 1_000 },
    },
  );
  return rows.map(({ busy, maximum, counts, ...row }) => ({
    ...row,
    utilization: busy === null || maximum === null || maximum === 0 ? null : (100 * busy) / maximum,
    acquisitionP95Ms: p95Of(counts.filter((count) => count !== null)),
  }));
}

function p95Of(counts: readonly number[]): number | null {
  const bound = bucketPercentile(counts, 95);
  return typeof bound === 'string' ? Number.POSITIVE_INFINITY : bound;
}
