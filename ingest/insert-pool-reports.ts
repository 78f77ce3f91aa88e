import type { PoolReportBlock, StoredPoolReport } from '../contract/pool-row.js';
import type { CheckedPool } from '../contract/read-pool-report.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';

/** An insert that takes longer counts as failed, and is repeated. */
const timeoutMs = 5_000;

type Cell = string | number | null | readonly number[];

/**
 * Writes reports into all tables of pools. The same block under the same id counts once in each of them, however
 * often it goes out and wherever an earlier attempt ended: each table remembers the last ten thousand blocks, and
 * drops what it has.
 *
 * @throws ClickHouseError, or an error of the network: the block may then be in none, some or all of the tables.
 */
export async function insertPoolReports(
  { clickhouse }: { clickhouse: ClickHouseClient },
  { id, reports }: PoolReportBlock,
): Promise<void> {
  await clickhouse.insert({
    table: 'pool_landing',
    values: reports.flatMap((stored) => toRows(id, stored)),
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(timeoutMs),
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: id,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      optimize_on_insert: 0,
      // The parts of four tables, written side by side: on two cores 47 ms instead of 74 at best.
      parallel_view_processing: 1,
      // One block, whatever its size: its parts would not be the same ones in each attempt.
      input_format_parallel_parsing: 0,
      max_insert_block_size: '1048576',
      date_time_input_format: 'best_effort',
    },
  });
}

/** One row for the report and its exporter, and one for each pool. */
function toRows(blockId: string, { pageId, receivedAt, report }: StoredPoolReport): Record<string, Cell>[] {
  const identity = {
    page_id: pageId,
    block_id: blockId,
    session: report.session,
    sequence: report.sequence,
    service: report.service,
    environment: report.environment,
    revision: report.revision,
    started_at: toTime(report.startedAt),
    interval_from: toTime(report.from),
    interval_to: toTime(report.to),
    minute: minuteOf(report),
    received_at: toTime(receivedAt),
  };
  const { dropped, failures } = report.exporter;
  return [
    { ...identity, kind: 'report', exporter_dropped: dropped, exporter_failures: failures },
    ...report.pools.map((pool) => ({ ...identity, kind: 'pool', ...toMeasurements(pool) })),
  ];
}

/**
 * The minute of the last millisecond of an interval, in seconds since the epoch: an interval of a whole minute is of
 * that minute, not of the next.
 */
function minuteOf({ to }: { to: number }): number {
  return Math.floor((to - 1) / 60_000) * 60;
}

function toMeasurements(pool: CheckedPool): Record<string, Cell> {
  const { snapshot, peaks, acquisition } = pool;
  return {
    system: pool.system,
    target: pool.target,
    pool: pool.pool,
    server_pool: pool.serverPool,
    driver_version: pool.driverVersion,
    coverage: pool.coverage,
    ...snapshot,
    peak_open: peaks.open,
    peak_busy: peaks.busy,
    peak_waiting: peaks.waiting,
    acquisition_counts: acquisition?.counts ?? [],
    // Whole, because fractions do not add up alike in every order.
    acquisition_sum_us: acquisition && Math.round(acquisition.sumMs * 1000),
    failures: pool.failures,
    created: pool.created,
    closed: pool.closed,
    minimum: pool.minimum,
    maximum: pool.maximum,
  };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
