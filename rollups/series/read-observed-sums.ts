import type { MonitorId } from '../../lib/ids.js';
import { hourMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import { importedVersion } from '../../sql/measured-day.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Span } from '../spans.js';
import { hourLiteral, type MonitorOf, type ObservedTime, ofMonitors } from './read-observed.js';

/**
 * Reads the observed time of monitors over long periods, in the order of both: one read of whole hours, which the ends of the
 * periods are widened to. A day that another tool has observed counts where it begins. The newest minute or two may be missing,
 * as the job that computes hours is so far behind.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long.
 */
export async function readObservedSums(
  { clickhouse }: { clickhouse: ClickHouseClient },
  monitors: readonly MonitorOf[],
  periods: readonly Span[],
): Promise<ObservedTime[][]> {
  if (monitors.length === 0 || periods.length === 0) return monitors.map(() => []);
  const wide = periods.map(({ from, to }) => ({
    from: Math.floor(from / hourMs) * hourMs,
    to: Math.ceil(to / hourMs) * hourMs,
  }));
  const all = { from: Math.min(...wide.map(({ from }) => from)), to: Math.max(...wide.map(({ to }) => to)) };
  const sums = (column: string) =>
    `[${wide.map(({ from, to }) => `sumIf(${column}, at >= ${hourLiteral(from)} AND at < ${hourLiteral(to)})`).join(', ')}]`;
  const rows = await loadRows<{ monitor: MonitorId; good: number[]; total: number[] }>(
    clickhouse,
    `WITH imported AS (
       SELECT monitor_id, day, observed_ms, up_ms FROM monitor_days FINAL
       WHERE ${ofMonitors(monitors)} AND version = ${importedVersion}
         AND day >= toDate(${hourLiteral(all.from)}) AND day < toDate(${hourLiteral(all.to)})
     )
     SELECT monitor_id AS monitor, ${sums('up_ms')} AS good, ${sums('observed_ms')} AS total
     FROM (
       SELECT monitor_id, hour AS at, toUInt64(up_ms) AS up_ms, toUInt64(observed_ms) AS observed_ms
       FROM monitor_hours FINAL
       WHERE ${ofMonitors(monitors)} AND hour >= ${hourLiteral(all.from)} AND hour < ${hourLiteral(all.to)}
         AND (monitor_id, toDate(hour)) NOT IN (SELECT monitor_id, day FROM imported)
       UNION ALL
       SELECT monitor_id, toDateTime(day, 'UTC') AS at, toUInt64(up_ms) AS up_ms, toUInt64(observed_ms) AS observed_ms
       FROM imported
     )
     GROUP BY monitor_id SETTINGS do_not_merge_across_partitions_select_final = 1`,
    {},
  );
  const found = new Map(rows.map((row) => [row.monitor, row]));
  return monitors.map(({ monitorId }) => {
    const row = found.get(monitorId);
    return periods.map((_, i) => ({ good: row?.good[i] ?? 0, total: row?.total[i] ?? 0 }));
  });
}
