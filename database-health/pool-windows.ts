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

type PoolName = Pick<PoolWindow, 'service' | 'environment' | 'target' | 'pool'>;

/** Reports of a pool, added up: the most that waited, callers that got none, busy connections and the most there may be. */
export type PoolSums = {
  waiting: number | null;
  failures: number | null;
  busy: number | null;
  maximum: number | null;
  /** Acquisitions by bucket. */
  counts: (number | null)[];
};

type Row = PoolName & Pick<PoolWindow, 'pageId' | 'windowMinutes'> & PoolSums;

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
       page_id AS pageId, service, environment, target, pool, windowMinutes, ${sums}
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
  return rows.map(({ pageId, service, environment, target, pool, windowMinutes, ...row }) => ({
    ...{ pageId, service, environment, target, pool, windowMinutes },
    ...figuresOf(row),
  }));
}

const sums = `max(p.peak_waiting) AS waiting, sum(p.failures) AS failures, sum(p.capacity_busy) AS busy,
  sum(p.capacity_maximum) AS maximum, ${acquisitionCounts} AS counts`;

/** Returns the figures of reports that are added up. */
export function figuresOf({ busy, maximum, counts, waiting, failures }: PoolSums): PoolFigures {
  const utilization = busy === null || maximum === null || maximum === 0 ? null : (100 * busy) / maximum;
  const acquisitionP95Ms = p95Of(counts.filter((count) => count !== null));
  return { waiting, failures, utilization, acquisitionP95Ms };
}

type PoolFigures = Pick<PoolWindow, 'waiting' | 'utilization' | 'acquisitionP95Ms' | 'failures'>;

/** The reports of a pool in a minute, at its start in milliseconds since the epoch. */
export type PoolMinute = PoolName & PoolSums & { at: number };

/**
 * Loads the reports of some pools of a page by the minute, oldest first, over whole minutes of the last 14 days. Minutes without a
 * report are not among them.
 */
export async function loadPoolMinutes(
  { clickhouse }: { clickhouse: ClickHouseClient },
  { pageId, pools, from, to }: { pageId: PageId; pools: readonly PoolName[]; from: number; to: number },
): Promise<PoolMinute[]> {
  if (pools.length === 0) return [];
  const names = pools.map(({ service, environment, target, pool }) => [service, environment, target, pool]);
  return loadRows<PoolMinute>(
    clickhouse,
    `SELECT service, environment, target, pool, 1000 * toInt64(toUnixTimestamp(minute)) AS at, ${sums}
     FROM pools_minute AS p
     WHERE page_id = {page:UUID}
       AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
       AND (service, environment, target, pool) IN (
         SELECT one.1, one.2, one.3, one.4
         FROM (SELECT arrayJoin(JSONExtract({pools:String}, 'Array(Tuple(String, String, String, String))')) AS one))
     GROUP BY service, environment, target, pool, minute ORDER BY minute`,
    { page: pageId, pools: JSON.stringify(names), from: from / 1_000, to: to / 1_000 },
  );
}

function p95Of(counts: readonly number[]): number | null {
  const bound = bucketPercentile(counts, 95);
  return typeof bound === 'string' ? Number.POSITIVE_INFINITY : bound;
}
