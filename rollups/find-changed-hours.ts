import type { MonitorId, PageId } from '../lib/ids.js';
import { hourMs } from '../lib/times.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { HourRange } from './hour-ranges.js';

/** Twice the longest interval: a check observes no longer than this. */
export const segmentMsMax = 2 * hourMs;

/** An insert takes at most this long after its row was stamped; later it has failed. */
const insertMsMax = 120_000;

const bounds = {
  max_execution_time: 25,
  max_memory_usage: '500000000',
  max_bytes_before_external_group_by: '200000000',
  max_bytes_before_external_sort: '200000000',
  max_threads: 2,
} as const;

/** Loads the clock of ClickHouse, which stamps incoming checks, in milliseconds since the epoch. */
export async function loadStoreTime(clickhouse: ClickHouseClient): Promise<number> {
  const answer = await clickhouse.query({
    query: 'SELECT toString(toUnixTimestamp64Milli(now64(3))) AS now',
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ now: string }>();
  return Number(row?.now);
}

type Window = {
  /** Milliseconds since the epoch, like all times here. */
  now: number;
  /** Checks before this time are ignored. */
  oldest: number;
};

/**
 * Hours that change because of checks inserted since `insertedUntil`: from each check on, for as long as the check, or
 * without it the check before, can observe. One range per monitor and day, in order.
 */
export function findFreshHours(
  clickhouse: ClickHouseClient,
  { now, oldest, insertedUntil }: Window & { insertedUntil: number },
): AsyncIterable<HourRange> {
  return streamRanges(
    clickhouse,
    `SELECT page_id, monitor_id, toUInt32(intDiv(toUnixTimestamp64Milli(min(at)), 3600000)) AS from_hour,
       toUInt32(intDiv(least(toUnixTimestamp64Milli(max(at)) + {reach:Int64}, {now:Int64}), 3600000)) + 1 AS to_hour
     FROM checks
     WHERE inserted_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
       AND at >= fromUnixTimestamp64Milli({oldest:Int64}, 'UTC') AND at <= fromUnixTimestamp64Milli({now:Int64}, 'UTC')
     GROUP BY page_id, monitor_id, toDate(at)
     ORDER BY page_id, monitor_id, from_hour`,
    { now, oldest, reach: segmentMsMax, since: Math.max(insertedUntil - insertMsMax, 0) },
  );
}

/**
 * Hours since `computedUntil` that change without new checks: the last check of each monitor keeps observing, and a
 * check that was in the future then no longer is.
 */
export function findGrownHours(
  clickhouse: ClickHouseClient,
  { now, oldest, computedUntil }: Window & { computedUntil: number },
): AsyncIterable<HourRange> {
  return streamRanges(
    clickhouse,
    `SELECT page_id, monitor_id, toUInt32(intDiv(greatest(toUnixTimestamp64Milli(min(at)), {until:Int64}), 3600000)) AS from_hour,
       toUInt32(intDiv(least(max(toUnixTimestamp64Milli(at) + 2000 * interval_seconds), {now:Int64}), 3600000)) + 1 AS to_hour
     FROM checks
     WHERE at >= fromUnixTimestamp64Milli({until:Int64} - {reach:Int64}, 'UTC') AND at <= fromUnixTimestamp64Milli({now:Int64}, 'UTC')
       AND toUnixTimestamp64Milli(at) + 2000 * interval_seconds > {until:Int64}
     GROUP BY page_id, monitor_id
     ORDER BY page_id, monitor_id`,
    { now, reach: segmentMsMax, until: Math.max(computedUntil, oldest) },
  );
}

type Row = [pageId: PageId, monitorId: MonitorId, from: number, to: number];

/** Streams the rows: after an import there may be one per monitor and day. */
async function* streamRanges(
  clickhouse: ClickHouseClient,
  query: string,
  query_params: Record<string, number>,
): AsyncGenerator<HourRange> {
  const answer = await clickhouse.query({
    query,
    query_params,
    format: 'JSONCompactEachRow',
    clickhouse_settings: bounds,
  });
  for await (const rows of answer.stream<Row>()) {
    for (const row of rows) {
      const [pageId, monitorId, from, to] = row.json();
      yield { pageId, monitorId, from, to };
    }
  }
}
