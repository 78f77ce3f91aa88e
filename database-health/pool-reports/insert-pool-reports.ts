import { minuteMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { CheckedPool } from './parse-pool-report.js';
import type { PoolReportBlock, StoredPoolReport } from './stored-reports.js';

/** An insert that takes longer has failed, and is repeated. */
const timeoutMs = 5_000;

type Cell = string | number | null | readonly number[];

const columns = [
  ...['page_id', 'block_id', 'session', 'sequence', 'service', 'environment', 'revision'],
  ...['started_at', 'interval_from', 'interval_to', 'minute', 'received_at'],
  ...['kind', 'exporter_dropped', 'exporter_failures'],
  ...['system', 'target', 'pool', 'server_pool', 'driver_version', 'coverage'],
  ...['open', 'busy', 'idle', 'waiting', 'peak_open', 'peak_busy', 'peak_waiting'],
  ...['acquisition_counts', 'acquisition_sum_us', 'failures', 'created', 'closed', 'minimum', 'maximum'],
] as const;
/** The cells of a pool's columns in the row of a report. */
const noPool: readonly Cell[] = [
  ...['', '', '', '', '', 'none'],
  ...[null, null, null, null, null, null, null],
  ...[[], null, null, null, null, null, null],
];

/**
 * Writes reports into all tables of pools. The same block under the same id counts once in each table, however often it
 * is sent and wherever an earlier attempt ended: each table remembers the last ten thousand blocks and drops repeated
 * ones.
 *
 * @throws ClickHouseError, or an error of the network. The block may then be in none, some or all of the tables.
 */
export async function insertPoolReports(
  { clickhouse }: { clickhouse: ClickHouseClient },
  { id, reports }: PoolReportBlock,
): Promise<void> {
  await clickhouse.insert({
    table: 'pool_landing',
    values: reports.flatMap((stored) => toRows(id, stored)),
    columns: [...columns],
    format: 'JSONCompactEachRow',
    abort_signal: AbortSignal.timeout(timeoutMs),
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: id,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      optimize_on_insert: 0,
      // Writes the parts of four tables at a time: on two cores 47 ms instead of 74 at best.
      parallel_view_processing: 1,
      // Keeps one block, whatever its size; otherwise its parts differ from attempt to attempt.
      input_format_parallel_parsing: 0,
      max_insert_block_size: '1048576',
      date_time_input_format: 'best_effort',
    },
  });
}

/** Returns a row for the report and its exporter, and one for each pool, with cells in the order of the columns. */
function toRows(blockId: string, { pageId, receivedAt, report }: StoredPoolReport): Cell[][] {
  const { session, sequence, service, environment, revision, startedAt, from, to, exporter } = report;
  const identity: Cell[] = [
    ...[pageId, blockId, session, sequence, service, environment, revision],
    ...[toTime(startedAt), toTime(from), toTime(to), minuteOf(report), toTime(receivedAt)],
  ];
  return [
    [...identity, 'report', exporter.dropped, exporter.failures, ...noPool],
    ...report.pools.map((pool) => [...identity, 'pool', null, null, ...toMeasurements(pool)]),
  ];
}

/**
 * Returns the minute of the last millisecond of an interval, in seconds since the epoch: an interval of a whole minute
 * belongs to that minute, not to the next one.
 */
function minuteOf({ to }: { to: number }): number {
  return Math.floor((to - 1) / minuteMs) * 60;
}

function toMeasurements(pool: CheckedPool): Cell[] {
  const { snapshot, peaks, acquisition } = pool;
  return [
    ...[pool.system, pool.target, pool.pool, pool.serverPool, pool.driverVersion, pool.coverage],
    ...[snapshot.open, snapshot.busy, snapshot.idle, snapshot.waiting],
    ...[peaks.open, peaks.busy, peaks.waiting],
    acquisition?.counts ?? [],
    // Whole microseconds, because the sum of fractions depends on their order.
    acquisition && Math.round(acquisition.sumMs * 1000),
    ...[pool.failures, pool.created, pool.closed, pool.minimum, pool.maximum],
  ];
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
