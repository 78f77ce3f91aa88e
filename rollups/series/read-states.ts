import type { MonitorId, PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Span } from '../spans.js';

/** From `at` on a monitor was up or down, and well or slow, until the next change. Milliseconds since the epoch. */
export type StateChange = { at: number; state: 'up' | 'down'; isDegraded: boolean };

/** The states of a monitor over a period, oldest first, and the times of its maintenance and pauses. */
export type PastStates = { monitorId: MonitorId; changes: StateChange[]; excluded: Span[] };

type ChangeRow = { monitor: MonitorId; at: number; up: number; degraded: number };

/** Checks of so long before the period say how it begins. */
const beforeMs = 2 * dayMs;

/**
 * Reads when monitors of a page were up, down and slow, from their checks. A monitor that was not checked in the two days before
 * the period has no state until its first check. Maintenance and pauses are those that were last applied to points.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long.
 */
export async function readStates(
  { sql, clickhouse }: { sql: Sql; clickhouse: ClickHouseClient },
  { pageId, monitorIds }: { pageId: PageId; monitorIds: readonly MonitorId[] },
  { from, to }: Span,
): Promise<PastStates[]> {
  if (monitorIds.length === 0) return [];
  const rows = await loadRows<ChangeRow>(clickhouse, query, {
    ...{ page: pageId, monitors: [...monitorIds], from: from - beforeMs, to },
  });
  const excluded = await sql<(Span & { monitorId: MonitorId })[]>`
    select monitor_id as "monitorId", floor(extract(epoch from from_at) * 1000)::float8 as "from",
      floor(extract(epoch from to_at) * 1000)::float8 as "to"
    from applied_exclusions
    where page_id = ${pageId} and monitor_id = any (${[...monitorIds]}::uuid[])
      and from_at < ${new Date(to)} and to_at > ${new Date(from)}
    order by from_at`;
  return monitorIds.map((monitorId) => ({
    monitorId,
    changes: rows
      .filter(({ monitor }) => monitor === monitorId)
      .map(({ at, up, degraded }) => ({ at, state: up === 1 ? 'up' : 'down', isDegraded: degraded === 1 })),
    excluded: excluded.filter((span) => span.monitorId === monitorId),
  }));
}

const query = `
  SELECT monitor, toUnixTimestamp64Milli(began) AS at, up, degraded
  FROM (
    SELECT monitor_id AS monitor, c.at AS began, up, degraded, toInt16(2 * up + degraded) AS state,
      lagInFrame(state, 1, toInt16(-1)) OVER (
        PARTITION BY monitor_id ORDER BY c.at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
    FROM checks AS c FINAL
    WHERE page_id = {page:UUID} AND monitor_id IN {monitors:Array(UUID)}
      AND c.at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND c.at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
  )
  WHERE state != before
  ORDER BY monitor, at
  SETTINGS do_not_merge_across_partitions_select_final = 1`;
