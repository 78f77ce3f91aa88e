import type { StoredCheck } from '../../contract/manage/monitor-checks.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { loadRows } from '../../sql/load-rows.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** Which checks of a monitor, in milliseconds since the epoch: from `from` on, and before `to`. */
export type ChecksPart = { pageId: PageId; monitorId: MonitorId; from: number; to: number; limit: number };

type Row = {
  at: number;
  ok: number;
  up: number;
  error: string;
  status: number;
  intervalSeconds: number;
  totalMs: number | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
};

/**
 * The newest checks of a monitor in a range, at most `limit`, newest first. Reads from the end and stops when it has them.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long.
 */
export async function readChecks(
  { clickhouse }: { clickhouse: ClickHouseClient },
  { pageId: page, monitorId: monitor, from, to, limit }: ChecksPart,
): Promise<StoredCheck[]> {
  const rows = await loadRows<Row>(clickhouse, query, { page, monitor, from, to, limit });
  return rows.map(({ at, ok, up, error, status, ...rest }) => ({
    at: new Date(at).toISOString(),
    ok: ok === 1,
    up: up === 1,
    error: error === '' ? null : error,
    status: status === 0 ? null : status,
    ...rest,
  }));
}

// The newest of equal checks counts. FINAL would read the whole range before the first row comes.
const query = `
  SELECT toUnixTimestamp64Milli(c.at) AS at, ok, up, error, status, interval_seconds AS intervalSeconds,
    total_ms AS totalMs, dns_ms AS dnsMs, connect_ms AS connectMs, tls_ms AS tlsMs, first_byte_ms AS firstByteMs
  FROM checks AS c
  WHERE page_id = {page:UUID} AND monitor_id = {monitor:UUID}
    AND c.at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND c.at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
  ORDER BY c.at DESC, inserted_at DESC
  LIMIT 1 BY c.at
  LIMIT {limit:UInt32}`;
