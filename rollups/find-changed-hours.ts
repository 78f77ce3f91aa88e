import type { MonitorId, PageId } from '../lib/ids.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { HourRange } from './hour-ranges.js';

/** Twice the longest interval: what follows a check for longer is not observed by it. */
export const segmentMsMax = 2 * 3_600_000;

/** A check is in the store this long after its row was stamped, or its insert has been given up. */
const insertMsMax = 120_000;

const bounds = {
  max_execution_time: 25,
  max_memory_usage: '500000000',
  max_bytes_before_external_group_by: '200000000',
  max_bytes_before_external_sort: '200000000',
  max_threads: 2,
} as const;

/** ClickHouse's clock, which stamps the checks that come in; in milliseconds since the epoch. */
export async function readStoreTime(clickhouse: ClickHouseClient): Promise<number> {
  const answer = await clickhouse.query({
    query: 'SELECT toString(toUnixTimestamp64Milli(now64(3))) AS now',
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ now: string }>();
  return Number(row?.now);
}

type Window = {
  /** Milliseconds since the epoch, as are the others. */
  now: number;
  /** Checks before this are not looked for. */
  oldest: number;
};

/**
 * Hours that the checks change which came in since: from each on, for as long as it, or without it the check before
 * it, may observe. One range a monitor and day, in their order.
 */
export function findFreshHours(
  clickhouse: ClickHouseClient,
  { now, oldest, insertedUntil }: Window & { insertedUntil: number },
): AsyncIterable<HourRange> {
  return readRanges(
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
 * Hours since `computedUntil` of the monitors that were observed in them without any check having come in: the last
 * check of each observes on, and one that was in the future then is not any more.
 */
export function findGrownHours(
  clickhouse: ClickHouseClient,
  { now, oldest, computedUntil }: Window & { computedUntil: number },
): AsyncIterable<HourRange> {
  return readRanges(
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

/** Streamed: after an import there may be as many rows as monitors have days. */
async function* readRanges(
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
