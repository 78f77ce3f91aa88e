import type { MonitorId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Span } from './summary-coverage.js';

/** The fields of a page that the summary needs beside its points. */
export type SummaryPage = {
  slug: string;
  hostname: string;
  languages: string[];
  defaultLanguage: string;
  historyDays: number;
  monitoringPaused: boolean;
  /** Days since 1970-01-01. */
  responseTimesSince: number;
};

export type SummaryMonitor = {
  id: MonitorId;
  slug: string;
  name: string;
  /** By language, except the default one. */
  names: Record<string, string>;
  iconUrl: string | null;
  kind: 'http' | 'tcp' | 'heartbeat' | 'manual';
  everySeconds: number;
  paused: boolean;
  state: 'up' | 'down' | null;
  stateSince: Date | null;
  /** Since when it answers too slowly; null while it does not. */
  degradedSince: Date | null;
  /** In the default language. */
  description: string;
  /** By language, except the default one. */
  descriptions: Record<string, string>;
  link: string | null;
  /** null for other kinds than heartbeats, and before the first call. */
  lastPingAt: Date | null;
  createdAt: Date;
  lastCheckedAt: Date | null;
};

/** Loads a page and its monitors that are not hidden, in the order of the page. Returns `undefined` when there is no such page. */
export async function loadSummaryPage(
  sql: Sql,
  pageId: PageId,
): Promise<{ page: SummaryPage; monitors: SummaryMonitor[] } | undefined> {
  const [[page], monitors] = await Promise.all([
    sql<SummaryPage[]>`
      select slug, hostname, languages, default_language as "defaultLanguage", history_days as "historyDays",
        monitoring_paused as "monitoringPaused", response_times_since - date '1970-01-01' as "responseTimesSince"
      from pages where id = ${pageId}`,
    sql<SummaryMonitor[]>`
      select id, slug, name, names, icon_url as "iconUrl", kind, every_seconds as "everySeconds",
        paused_at is not null as paused, state, state_since as "stateSince",
        case when state = 'up' then degraded_since end as "degradedSince", description, descriptions, link, last_ping_at as "lastPingAt", created_at as "createdAt", last_checked_at as "lastCheckedAt"
      from monitors where page_id = ${pageId} and not hidden order by position, created_at, id`,
  ]);
  return page && { page, monitors };
}

type PauseRow = { monitor: MonitorId | null; from: Date; to: Date | null };

/**
 * Loads the pauses of a page that reach into the time since `from`. Returns a function that picks the pauses of a monitor. A
 * pause that has not ended lasts until `now`. Times are in milliseconds since the epoch.
 */
export async function loadPauses(
  sql: Sql,
  pageId: PageId,
  { from, to: now }: Span,
): Promise<(monitor: MonitorId) => Span[]> {
  const rows = await sql<PauseRow[]>`
    select monitor_id as monitor, from_at as "from", to_at as "to" from pauses
    where page_id = ${pageId} and coalesce(to_at, ${new Date(now)}) > ${new Date(from)}
    order by from_at`;
  return (monitor) =>
    rows
      .filter((row) => row.monitor === null || row.monitor === monitor)
      .map((row) => ({ from: row.from.getTime(), to: row.to?.getTime() ?? now }));
}
