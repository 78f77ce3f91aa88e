import type { Test } from 'tap';
import { type IncidentId, type MonitorId, newId, type PageId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';
import { computePoints } from '../../rollups/compute-points.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { makePage } from './pages.js';
import { insertMonitor } from './points.js';
import { silentLog } from './silent-log.js';
import { openStores } from './stores.js';

export type Check = {
  /** Milliseconds since the epoch. */
  at: number;
  intervalSeconds: number;
  up: boolean;
  ok: boolean;
  ms: number | null;
  /** Whether the monitor counts as too slow after it; false by default. */
  degraded?: boolean;
};

export type Excluded = { from: number; to: number | null };

/** The figures of the points of an hour or a day, without their key. */
export type Point = {
  observedMs: number;
  upMs: number;
  /** Absent when it is 0. */
  degradedMs?: number;
  checks: number;
  failed: number;
  measured: number;
  sumMs: number;
};

/** Number of response times by bucket, in the order of the buckets. */
export type Histogram = [bucket: number, times: number][];

export type Owner = { pageId: PageId; monitorId: MonitorId };

export type Uptime = Awaited<ReturnType<typeof openUptime>>;

/** Tables whose rows ClickHouse deletes after 400 days by its own clock. */
const tablesWithTtl = ['checks', 'monitor_hours', 'monitor_days'];

/**
 * Opens both stores, with a clock that stands still until the test sets it. The tables of the test keep their rows:
 * tests use fixed days, such as leap days and days on which clocks change, which must not expire.
 */
export async function openUptime(t: Test) {
  const stores = await openStores(t);
  const { sql, clickhouse } = stores;
  for (const table of tablesWithTtl) {
    await clickhouse.command({ query: `ALTER TABLE ${table} REMOVE TTL` });
  }
  const time = { now: Date.parse('2026-03-10T12:00:00Z') };
  const deps: JobDeps = {
    ...stores,
    clickhouseOf: () => stores.clickhouse,
    clock: { now: () => time.now },
    log: silentLog,
  };
  let pages = 0;

  async function addMonitor(slug = 'api', pageId?: PageId): Promise<Owner> {
    pages += 1;
    const owner = pageId ?? (await makePage(sql, { slug: `page-${pages}` })).id;
    return { pageId: owner, monitorId: await insertMonitor(sql, owner, { slug }) };
  }

  async function addChecks({ pageId, monitorId }: Owner, checks: readonly Check[]): Promise<void> {
    await clickhouse.insert({
      table: 'checks',
      format: 'JSONEachRow',
      clickhouse_settings: { date_time_input_format: 'best_effort' },
      values: checks.map(({ at, intervalSeconds, up, ok, ms, degraded = false }) => ({
        ...{ page_id: pageId, monitor_id: monitorId, interval_seconds: intervalSeconds, total_ms: ms },
        ...{
          at: new Date(at).toISOString(),
          ok: Number(ok),
          up: Number(up),
          degraded: Number(degraded),
          error: ok ? '' : 'timeout',
          status: 0,
        },
      })),
    });
  }

  /** Returns the argument of resume(). */
  async function pause({ pageId, monitorId }: Owner, { from, to }: Excluded, wholePage = false) {
    const [row] = await sql<{ id: bigint }[]>`
      insert into pauses (page_id, monitor_id, from_at, to_at)
      values (${pageId}, ${wholePage ? null : monitorId}, ${new Date(from)}, ${to === null ? null : new Date(to)})
      returning id`;
    return row?.id ?? 0n;
  }

  async function maintain(
    { pageId, monitorId }: Owner,
    window: Excluded & { resolvedAt?: number },
  ): Promise<IncidentId> {
    const { from, to, resolvedAt } = window;
    const id = newId<IncidentId>(Date.now());
    await sql`
      insert into incidents (id, page_id, type, title, summary, started_at, resolved_at, scheduled_end_at, published_at, announced_state)
      values (${id}, ${pageId}, 'maintenance', 'Work', 'On it.', ${new Date(from)},
        ${resolvedAt === undefined ? null : new Date(resolvedAt)}, ${to === null ? null : new Date(to)}, now(), 'scheduled')`;
    await sql`insert into incident_monitors values (${id}, ${monitorId}, 0)`;
    return id;
  }

  /**
   * Acts as if two minutes had passed since the last check arrived. A run looks back that far for checks, and would
   * otherwise recompute points that the test expects another reason to recompute.
   */
  async function settle(): Promise<void> {
    await sql`update points_progress set checks_inserted_until = checks_inserted_until + interval '2 minutes'`;
  }

  async function run(now = time.now): Promise<void> {
    time.now = now;
    await computePoints(deps);
    await settle();
  }

  async function select<Row>(query: string, query_params: Record<string, unknown>): Promise<Row[]> {
    return (await clickhouse.query({ query, query_params, format: 'JSONEachRow' })).json<Row>();
  }

  /** Loads the points that are not empty, and their histograms, by hour or day, such as 2026-03-10T12 or 2026-03-10. */
  async function pointsAndHistograms(
    { monitorId }: { monitorId: MonitorId },
    of: 'hour' | 'day',
  ): Promise<{ points: Record<string, Point>; histograms: Record<string, Histogram> }> {
    const rows = await select<Point & { degradedMs: number } & { time: string; histogram: Histogram }>(
      `SELECT formatDateTime(toDateTime(${of}, 'UTC'), '${of === 'hour' ? '%Y-%m-%dT%H' : '%Y-%m-%d'}') AS time,
         toFloat64(observed_ms) AS observedMs, toFloat64(up_ms) AS upMs,
         toFloat64(degraded_ms) AS degradedMs, checks, failed, measured, sum_ms AS sumMs,
         arrayZip(mapKeys(mapSort(time_buckets)), mapValues(mapSort(time_buckets))) AS histogram
       FROM monitor_${of}s FINAL
       WHERE monitor_id = {monitorId:UUID} AND (observed_ms > 0 OR checks > 0) ORDER BY time`,
      { monitorId },
    );
    const entries = rows.map(({ time: name, histogram, degradedMs, ...point }) => ({
      ...{ name, histogram },
      point: { ...point, ...(degradedMs > 0 && { degradedMs }) },
    }));
    const measured = entries.filter(({ histogram }) => histogram.length > 0);
    return {
      points: Object.fromEntries(entries.map(({ name, point }) => [name, point])),
      histograms: Object.fromEntries(measured.map(({ name, histogram }) => [name, histogram])),
    };
  }

  /** Loads the points alone. */
  async function points(owner: { monitorId: MonitorId }, of: 'hour' | 'day'): Promise<Record<string, Point>> {
    return (await pointsAndHistograms(owner, of)).points;
  }

  /** Returns the hours or days written since the last call, such as 2026-03-10T12 or 2026-03-10. */
  async function written({ monitorId }: Owner, of: 'hour' | 'day', since: bigint): Promise<string[]> {
    const rows = await select<{ time: string }>(
      `SELECT DISTINCT formatDateTime(toDateTime(${of}, 'UTC'), '${of === 'hour' ? '%Y-%m-%dT%H' : '%Y-%m-%d'}') AS time
       FROM monitor_${of}s WHERE monitor_id = {monitorId:UUID} AND version > {since:UInt64} ORDER BY time`,
      { monitorId, since: String(since) },
    );
    return rows.map(({ time: name }) => name);
  }

  async function version(): Promise<bigint> {
    const [row] = await sql<{ version: bigint }[]>`select version from points_progress`;
    return row?.version ?? 0n;
  }

  return {
    ...{
      ...stores,
      deps,
      time,
      addMonitor,
      addChecks,
      pause,
      maintain,
      settle,
      run,
      points,
      pointsAndHistograms,
      written,
      version,
    },
  };
}

/** Returns checks from one time until just before another, all up except those that `down` selects. */
export function checksEvery(
  intervalSeconds: number,
  from: number,
  to: number,
  check: Partial<Check> = {},
): Check[] {
  const checks: Check[] = [];
  for (let at = from; at < to; at += intervalSeconds * secondMs) {
    checks.push({ intervalSeconds, up: true, ok: true, ms: 100, ...check, at });
  }
  return checks;
}
