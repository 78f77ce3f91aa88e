import type { MonitorId, PageId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';

type OfPages = { pageIds: readonly PageId[] };

/** A monitor that is down; `url` is null for a heartbeat. `lastError` is a class, a colon and a sentence. */
export type DownMonitor = {
  pageId: PageId;
  id: MonitorId;
  name: string;
  url: string | null;
  since: Date;
  lastError: string | null;
};

/** Lists the monitors of pages that are down and watched: not paused, and not in maintenance. `now` in milliseconds. */
export async function listDownMonitors(
  sql: Sql,
  { pageIds, now }: OfPages & { now: number },
): Promise<DownMonitor[]> {
  return sql<DownMonitor[]>`
    select m.page_id as "pageId", m.id, m.name, m.url, m.state_since as since, m.last_error as "lastError"
    from monitors m join pages p on p.id = m.page_id
    where m.page_id = any (${[...pageIds]}::uuid[]) and m.state = 'down' and m.paused_at is null
      and not p.monitoring_paused and not ${isInMaintenance(sql, now)}
    order by m.page_id, m.position, m.slug`;
}

/** A monitor that is watched, and how it is. */
export type StandingMonitor = {
  pageId: PageId;
  slug: string;
  name: string;
  /** Slug of its group. */
  group: string | null;
  /** null before its first check. */
  state: 'up' | 'down' | null;
  isDegraded: boolean;
  /** null without TLS. */
  certificateEndsAt: Date | null;
};

/** Lists the monitors of pages that are watched: not paused, and not in maintenance. `now` in milliseconds. */
export async function listStandingMonitors(
  sql: Sql,
  { pageIds, now }: OfPages & { now: number },
): Promise<StandingMonitor[]> {
  return sql<StandingMonitor[]>`
    select m.page_id as "pageId", m.slug, m.name, g.slug as "group", m.state,
      m.state = 'up' and m.degraded_since is not null as "isDegraded", m.certificate_ends_at as "certificateEndsAt"
    from monitors m join pages p on p.id = m.page_id left join monitor_groups g on g.id = m.group_id
    where m.page_id = any (${[...pageIds]}::uuid[]) and m.paused_at is null and not p.monitoring_paused
      and not ${isInMaintenance(sql, now)}`;
}

/** How a monitor stands that was down: it passes, nobody watches it, or no check has passed since it was resumed. */
export type MonitorWatch = 'up' | 'paused' | 'maintenance' | 'gone' | 'unknown';

/** Loads how a monitor of a page stands that was down. */
export async function loadMonitorWatch(
  sql: Sql,
  { pageId, id, now }: { pageId: PageId; id: string; now: number },
): Promise<MonitorWatch> {
  const [row] = await sql<{ state: string | null; paused: boolean; maintained: boolean }[]>`
    select m.state, m.paused_at is not null or p.monitoring_paused as paused, ${isInMaintenance(sql, now)} as maintained
    from monitors m join pages p on p.id = m.page_id
    where m.page_id = ${pageId} and m.id = ${id}::uuid`;
  if (row === undefined) return 'gone';
  if (row.state === 'up') return 'up';
  if (row.paused) return 'paused';
  return row.maintained ? 'maintenance' : 'unknown';
}

/** Whether maintenance of the monitor `m` runs. */
function isInMaintenance(sql: Sql, now: number): Fragment {
  return sql`exists (
    select 1 from incidents i join incident_monitors im on im.incident_id = i.id
    where im.monitor_id = m.id and i.type = 'maintenance' and i.started_at <= ${new Date(now)}
      and coalesce(i.resolved_at, i.scheduled_end_at, 'infinity') > ${new Date(now)})`;
}

export type EndingCertificate = { pageId: PageId; id: MonitorId; name: string; url: string; endsAt: Date };

/** Lists the monitors of pages whose certificate ends before a time, or has ended. Paused ones meet no certificate. */
export async function listEndingCertificates(
  sql: Sql,
  { pageIds, before }: OfPages & { before: Date },
): Promise<EndingCertificate[]> {
  return sql<EndingCertificate[]>`
    select m.page_id as "pageId", m.id, m.name, m.url, m.certificate_ends_at as "endsAt"
    from monitors m join pages p on p.id = m.page_id
    where m.page_id = any (${[...pageIds]}::uuid[]) and m.certificate_ends_at < ${before} and m.url is not null
      and m.paused_at is null and not p.monitoring_paused
    order by m.page_id, m.position, m.slug`;
}

/** Finds the time when the certificate of a monitor ends; `undefined` for one that is paused, deleted or without TLS. */
export async function findCertificateEnd(
  sql: Sql,
  { pageId, id }: { pageId: PageId; id: string },
): Promise<Date | undefined> {
  const [row] = await sql<{ endsAt: Date }[]>`
    select m.certificate_ends_at as "endsAt" from monitors m join pages p on p.id = m.page_id
    where m.page_id = ${pageId} and m.id = ${id}::uuid and m.certificate_ends_at is not null
      and m.paused_at is null and not p.monitoring_paused`;
  return row?.endsAt;
}
