import { type MonitorGroupId, type MonitorId, newId, type PageId } from '../../lib/ids.js';
import { dayMs, hourMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { bucketOf } from './response-buckets.js';

export type MonitorFields = {
  slug?: string;
  name?: string;
  names?: Record<string, string>;
  position?: number;
  icon_url?: string | null;
  kind?: 'http' | 'tcp' | 'heartbeat' | 'manual';
  every_seconds?: number;
  paused_at?: Date | null;
  state?: 'up' | 'down' | null;
  created_at?: Date;
  state_since?: Date | null;
  last_checked_at?: Date | null;
  last_ping_at?: Date | null;
  degraded_since?: Date | null;
  hidden?: boolean;
  description?: string;
  link?: string | null;
  group_id?: MonitorGroupId;
};

/** Inserts a monitor of a page, with the given fields. */
export async function insertMonitor(
  sql: Sql,
  pageId: PageId,
  fields: MonitorFields = {},
): Promise<MonitorId> {
  const id = newId<MonitorId>(Date.now());
  const { slug = 'api', name = slug, names = {}, ...others } = fields;
  const hasUrl = others.kind !== 'heartbeat' && others.kind !== 'manual';
  const url = hasUrl ? 'https://private.example.com/' : null;
  const row = { id, page_id: pageId, slug, name, url, created_at: new Date(), ...others };
  await sql`insert into monitors ${sql(row)}`;
  await sql`update monitors set names = ${sql.json(names)} where id = ${id}`;
  return id;
}

/** An hour or a day of a monitor: up throughout, with one check of 100 ms, except for the given fields. */
export type Point = {
  /** A moment of the hour or day, in milliseconds since the epoch. */
  at: number;
  observedMs?: number;
  upMs?: number;
  degradedMs?: number;
  checks?: number;
  failed?: number;
  measured?: number;
  sumMs?: number;
  version?: number;
  /** The response times themselves, with which the point gets its histogram as well. */
  times?: readonly number[];
};

type Owner = { pageId: PageId; monitorId: MonitorId };

export async function insertHours(
  clickhouse: ClickHouseClient,
  owner: Owner,
  points: readonly Point[],
): Promise<void> {
  const values = points.map((point) => ({
    hour: Math.floor(point.at / hourMs) * 3_600,
    ...toRow(owner, point, hourMs),
  }));
  await clickhouse.insert({ table: 'monitor_hours', values, format: 'JSONEachRow' });
}

export async function insertDays(
  clickhouse: ClickHouseClient,
  owner: Owner,
  points: readonly Point[],
): Promise<void> {
  const values = points.map((point) => ({ day: formatDay(point.at), ...toRow(owner, point, dayMs) }));
  await clickhouse.insert({ table: 'monitor_days', values, format: 'JSONEachRow' });
}

function toRow({ pageId, monitorId }: Owner, point: Point, lengthMs: number) {
  const { times, observedMs = lengthMs, upMs = observedMs, checks = times?.length ?? 1, failed = 0 } = point;
  const measured = point.measured ?? checks;
  return {
    page_id: pageId,
    monitor_id: monitorId,
    observed_ms: observedMs,
    up_ms: upMs,
    degraded_ms: point.degradedMs ?? 0,
    checks,
    failed,
    measured,
    sum_ms: point.sumMs ?? times?.reduce((sum, ms) => sum + ms, 0) ?? 100 * measured,
    time_buckets: countBuckets(times ?? []),
    version: point.version ?? 1,
  };
}

function countBuckets(times: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
}

/** Formats a day as `YYYY-MM-DD`. */
export function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
