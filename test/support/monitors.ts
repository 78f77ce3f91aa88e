import type { HeartbeatOptions, HttpOptions, MonitorKind } from '../../contract/monitors.js';
import { type MonitorId, newId, type PageId } from '../../lib/ids.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { waitUntil } from './wait-until.js';

export type NewMonitor = {
  pageId: PageId;
  slug?: string;
  kind?: MonitorKind;
  /** `https://<slug>.example.com/` when not given; a heartbeat has none. */
  url?: string;
  options?: Partial<HttpOptions & HeartbeatOptions>;
  everySeconds?: number;
  timeoutMs?: number;
  failuresToDown?: number;
  degradedOverMs?: number;
  createdAt?: Date;
  /** `null`, the default, means that no check is due. */
  dueAt?: Date | null;
};

let made = 0;

/** Inserts a monitor directly, for tests that are not about its creation. */
export async function insertMonitor(sql: Sql, monitor: NewMonitor): Promise<MonitorId> {
  made += 1;
  const { pageId, slug = `monitor-${made}`, kind = 'http', createdAt = new Date(), dueAt = null } = monitor;
  const id = newId<MonitorId>(createdAt.getTime());
  const row = {
    id,
    page_id: pageId,
    slug,
    name: slug,
    created_at: createdAt,
    kind,
    url: kind === 'heartbeat' ? null : (monitor.url ?? `https://${slug}.example.com/`),
    options: sql.json(monitor.options ?? {}),
    every_seconds: monitor.everySeconds ?? 60,
    timeout_ms: monitor.timeoutMs ?? 10_000,
    failures_to_down: monitor.failuresToDown ?? 2,
    degraded_over_ms: monitor.degradedOverMs ?? null,
    next_due_at: dueAt,
  };
  await sql`insert into monitors ${sql(row)}`;
  return id;
}

export type StoredCheck = {
  at: number;
  ok: number;
  up: number;
  degraded: number;
  error: string;
  status: number;
  interval_seconds: number;
  total_ms: number | null;
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
};

/** Loads the checks of a monitor from ClickHouse, oldest first; duplicate rows appear twice. */
export async function readChecks(clickhouse: ClickHouseClient, id: MonitorId): Promise<StoredCheck[]> {
  const result = await clickhouse.query({
    query: `
      SELECT toFloat64(toUnixTimestamp64Milli(at)) AS at, ok, up, degraded, error, status, interval_seconds, total_ms, dns_ms,
        connect_ms, tls_ms, first_byte_ms
      FROM checks WHERE monitor_id = {id:UUID} ORDER BY checks.at`,
    query_params: { id },
    format: 'JSONEachRow',
  });
  return result.json<StoredCheck>();
}

/** Waits until this many checks of a monitor are stored, and returns them. */
export async function waitForChecks(
  clickhouse: ClickHouseClient,
  id: MonitorId,
  count: number,
): Promise<StoredCheck[]> {
  let checks: StoredCheck[] = [];
  await waitUntil(`${count} checks are stored`, async () => {
    checks = await readChecks(clickhouse, id);
    return checks.length >= count;
  });
  return checks;
}
