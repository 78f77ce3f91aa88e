import type { MonitorId, PageId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';

/** A monitor, and how it is. */
export type StandingMonitor = {
  id: MonitorId;
  pageId: PageId;
  slug: string;
  name: string;
  /** Slug of its group. */
  group: string | null;
  /** Why nobody looks at it now; null while it is watched. */
  unwatched: 'paused' | 'maintenance' | null;
  /** null before its first check. */
  state: 'up' | 'down' | null;
  stateSince: Date | null;
  isDegraded: boolean;
  /** A class, a colon and a sentence. */
  lastError: string | null;
  /** null for a heartbeat. */
  url: string | null;
  /** null without TLS. */
  certificateEndsAt: Date | null;
};

/** Lists the monitors of pages in the order of the pages; hidden ones count, because the team sees them. `now` in milliseconds. */
export async function listStandingMonitors(
  sql: Sql,
  { pageIds, now }: { pageIds: readonly PageId[]; now: number },
): Promise<StandingMonitor[]> {
  return sql<StandingMonitor[]>`
    select m.id, m.page_id as "pageId", m.slug, m.name, g.slug as "group",
      case when m.paused_at is not null or p.monitoring_paused then 'paused' when ${isInMaintenance(sql, now)}
        then 'maintenance' end as unwatched,
      m.state, m.state_since as "stateSince", m.state = 'up' and m.degraded_since is not null as "isDegraded",
      m.last_error as "lastError", m.url, m.certificate_ends_at as "certificateEndsAt"
    from monitors m join pages p on p.id = m.page_id left join monitor_groups g on g.id = m.group_id
    where m.page_id = any (${[...pageIds]}::uuid[])
    order by m.page_id, m.position, m.slug`;
}

/** Whether maintenance of the monitor `m` runs. */
function isInMaintenance(sql: Sql, now: number): Fragment {
  return sql`exists (
    select 1 from incidents i join incident_monitors im on im.incident_id = i.id
    where im.monitor_id = m.id and i.type = 'maintenance' and i.started_at <= ${new Date(now)}
      and coalesce(i.resolved_at, i.scheduled_end_at, 'infinity') > ${new Date(now)})`;
}
