import type { Clock } from '../../lib/clock.js';
import { cutPercent, roundMs } from '../../lib/figures.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { hourMs } from '../../lib/times.js';
import { loadRows } from '../../sql/load-rows.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** The figures of the last hours of a monitor. */
export type LastHours = {
  /** Percentage of the observed time; null when nothing was observed. */
  uptime: number | null;
  /** Average response time in milliseconds; null without a measurement. */
  averageMs: number | null;
  /** Uptime by hour, oldest first; the last one is the current hour. */
  bars: (number | null)[];
  /** Average response time in milliseconds by hour. */
  responses: (number | null)[];
};

type Row = {
  monitorId: MonitorId;
  /** Hour since the first one, observed and up milliseconds. */
  hours: [hour: number, observedMs: number, upMs: number, measured: number, sumMs: number, checks: number][];
};

// The table is in the order of monitors, so this reads what they all have in the months that the hours touch: 744 rows a
// monitor at most in each.
const statement = `
  SELECT monitor_id AS monitorId,
    groupArray((toUInt32(intDiv(toUnixTimestamp(hour), 3600) - {first:UInt32}), observed_ms, up_ms, measured, sum_ms,
      checks)) AS hours
  FROM monitor_hours FINAL
  WHERE page_id = {page:UUID}
    AND hour >= toDateTime(3600 * {first:UInt32}, 'UTC')
    AND hour < toDateTime(3600 * ({first:UInt32} + {hours:UInt32}), 'UTC')
  GROUP BY monitor_id
  SETTINGS do_not_merge_across_partitions_select_final = 1`;

/**
 * Reads the last `hours` hours of every monitor of a page, up to a minute ago. Monitors without a point are absent.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long.
 */
export async function readLastHours(
  { clickhouse, clock }: { clickhouse: ClickHouseClient; clock: Clock },
  pageId: PageId,
  hours: number,
): Promise<Map<MonitorId, LastHours>> {
  const first = Math.floor(clock.now() / hourMs) - hours + 1;
  const rows = await loadRows<Row>(clickhouse, statement, { page: pageId, first, hours });
  return new Map(rows.map((row) => [row.monitorId, toLastHours(row, hours)]));
}

/** Returns the start of the last one of these hours, whose figures still change. */
export function runningHour(now: number): string {
  return new Date(Math.floor(now / hourMs) * hourMs).toISOString();
}

/** Returns the figures of a monitor without a point. */
export function noHours(length: number): LastHours {
  const bars = Array.from({ length }, () => null);
  return { uptime: null, averageMs: null, bars, responses: bars };
}

function toLastHours({ hours }: Row, length: number): LastHours {
  const bars: (number | null)[] = Array.from({ length }, () => null);
  const responses = [...bars];
  const all = { observedMs: 0, upMs: 0, measured: 0, sumMs: 0, checks: 0 };
  for (const [hour, observedMs, upMs, measured, sumMs, checks] of hours) {
    bars[hour] = cutPercent(upMs, observedMs);
    responses[hour] = averageOf(sumMs, measured);
    all.observedMs += observedMs;
    all.upMs += upMs;
    all.measured += measured;
    all.sumMs += sumMs;
    all.checks += checks;
  }
  // The last check before these hours stands for up to two of them.
  const uptime = all.checks === 0 ? null : cutPercent(all.upMs, all.observedMs);
  return { uptime, averageMs: averageOf(all.sumMs, all.measured), bars, responses };
}

function averageOf(sumMs: number, measured: number): number | null {
  return measured === 0 ? null : roundMs(sumMs / measured);
}
