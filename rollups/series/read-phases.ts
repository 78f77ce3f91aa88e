import { type MonitorPhases, monitorSeriesLimits } from '../../contract/manage/monitor-checks.js';
import { roundMs } from '../../lib/figures.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { keptAt, keptSteps, noteRange } from '../../lib/kept.js';
import { invalid, type Parameters } from '../../lib/query-parameters.js';
import { parseSteppedRange, type SteppedRange, stepsOf } from '../../lib/steps.js';
import { dayMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/**
 * The range of a read of phases, which are in checks alone.
 *
 * @throws ServiceError `invalidParameter`, naming the parameter.
 */
export function parsePhasesQuery(given: Parameters<'from' | 'to' | 'step'>, now: number): SteppedRange {
  const range = parseSteppedRange(given, now);
  const { points, checksDays } = monitorSeriesLimits;
  const length = stepsOf(range).length;
  if (length > points) {
    throw invalid(`Parameter "step" gives ${length} points; the most is ${points}: take a longer step.`);
  }
  if (range.to - range.from > checksDays * dayMs) {
    throw invalid(`Parameter "from" must be at most ${checksDays} days before the end.`);
  }
  return range;
}

type Row = {
  /** Steps since the epoch. */
  step: number;
  measured: number;
  /** Sums in milliseconds; null when no check has it. */
  dns: number | null;
  connect: number | null;
  tls: number | null;
  firstByte: number | null;
  total: number;
};

const rowsMax = 5_000_000;

// A phase that a check did not have, such as TLS without https, took no time of it.
const statement = `
  SELECT intDiv(toUnixTimestamp(c.at), {step:UInt32}) AS step, count() AS measured,
    sum(dns_ms) AS dns, sum(connect_ms) AS connect, sum(tls_ms) AS tls, sum(first_byte_ms) AS firstByte,
    sum(total_ms) AS total
  FROM checks AS c FINAL
  WHERE page_id = {page:UUID} AND monitor_id = {monitor:UUID} AND total_ms IS NOT NULL
    AND c.at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND c.at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
  GROUP BY step
  SETTINGS do_not_merge_across_partitions_select_final = 1, max_rows_to_read = ${rowsMax}`;

/**
 * Reads the phases of the response time of a monitor by step. Every step of the range has a point.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long or
 *   reads too much.
 */
export async function readPhases(
  { clickhouse }: { clickhouse: ClickHouseClient },
  { pageId, monitorId }: { pageId: PageId; monitorId: MonitorId },
  range: SteppedRange,
): Promise<MonitorPhases> {
  const { from, to, stepSeconds } = range;
  const rows = await loadRows<Row>(clickhouse, statement, {
    ...{ page: pageId, monitor: monitorId, from, to, step: stepSeconds },
  });
  const byStep = new Map(rows.map((row) => [row.step, row]));
  const { first } = stepsOf(range);
  const kept = keptAt(range.now, monitorSeriesLimits.days);
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step: stepSeconds,
    ...noteRange(range, kept),
    points: keptSteps(range, kept).map((isKept, i) =>
      toPoint((first + i) * stepSeconds, isKept ? byStep.get(first + i) : undefined),
    ),
  };
}

function toPoint(atSeconds: number, row: Row | undefined): MonitorPhases['points'][number] {
  const { measured = 0, dns = null, connect = null, tls = null, firstByte = null } = row ?? {};
  const averageOf = (sum: number | null) => (sum === null || measured === 0 ? null : roundMs(sum / measured));
  return {
    at: new Date(atSeconds * 1000).toISOString(),
    ...{ dnsMs: averageOf(dns), connectMs: averageOf(connect), tlsMs: averageOf(tls) },
    ...{ firstByteMs: averageOf(firstByte), totalMs: averageOf(row?.total ?? null) },
  };
}
