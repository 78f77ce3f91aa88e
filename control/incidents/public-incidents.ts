import { type ShownIncident, textRooms, viewLimits } from '../../contract/public/status-page.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadShown } from './public-texts.js';

export type Deps = { sql: Sql; clock: Clock };

type ViewQuery = {
  pageId: PageId;
  /** One of the languages of the page. */
  language: string;
};

type IncidentMonth = {
  /** The months before and after this one that the page has; `YYYY-MM`. */
  earlier?: string;
  later?: string;
  /** Pages of the month, at least 1. */
  pages: number;
  /** Newest first. */
  incidents: ShownIncident[];
};

/** Loads one incident with its timeline. Returns `undefined` when the page has no such incident. */
export async function loadShownIncident(
  { sql, clock }: Deps,
  { pageId, language, incidentId }: ViewQuery & { incidentId: IncidentId },
): Promise<ShownIncident | undefined> {
  const condition = sql`i.id = ${incidentId}`;
  const query = { pageId, language, condition, room: textRooms.incident, now: clock.now() };
  const [incident] = await loadShown(sql, query);
  return incident;
}

/**
 * Loads the incidents that are open, running or planned, and those that began or ended today (UTC) or on the days before
 * that a page shows; newest first. When there are too many, the open ones come first, then the newest of those that began
 * or ended last.
 *
 * Each kind is read by an index of its own, here and below: a condition with "or" reads every incident of the page.
 */
export async function loadRecentIncidents(
  { sql, clock }: Deps,
  { pageId, language }: ViewQuery,
): Promise<ShownIncident[]> {
  const now = clock.now();
  const since = new Date((Math.floor(now / dayMs) - viewLimits.recentDays) * dayMs);
  const columns = sql`id, started_at, resolved_at`;
  const { recentIncidents: max } = viewLimits;
  const condition = sql`
    i.id in (
      select id from (
        select ${columns} from incidents where page_id = ${pageId} and resolved_at is null
        union
        (select ${columns} from incidents
          where page_id = ${pageId} and resolved_at is not null and started_at >= ${since}
          order by started_at desc, id desc limit ${max})
        union
        (select ${columns} from incidents where page_id = ${pageId} and resolved_at >= ${since}
          order by resolved_at desc, id desc limit ${max})
      ) recent
      order by resolved_at is null desc, started_at desc, id desc limit ${max})`;
  return loadShown(sql, { pageId, language, condition, room: textRooms.status, now });
}

/** Loads what a feed shows: the incidents and maintenance that were published last. */
export async function loadFeedIncidents(
  { sql, clock }: Deps,
  { pageId, language }: ViewQuery,
): Promise<ShownIncident[]> {
  const condition = sql`
    i.id in (
      select id from incidents where page_id = ${pageId}
      order by published_at desc, id desc limit ${viewLimits.feedIncidents})`;
  return loadShown(sql, { pageId, language, condition, room: textRooms.feed, now: clock.now() });
}

/**
 * Loads a page of the incidents that began in a month of UTC, given as `YYYY-MM`; page 1 has the newest. Returns
 * `undefined` for a month after the current one, for a month before both the page and its first incident, and for a page
 * after the last one.
 */
export async function loadIncidentMonth(
  { sql, clock }: Deps,
  { pageId, language, month, page }: ViewQuery & { month: string; page: number },
): Promise<IncidentMonth | undefined> {
  const { incidentsOfHistoryPage: pageSize, historyPages } = viewLimits;
  const now = clock.now();
  const current = monthOf(now);
  if (month > current || page > historyPages) return undefined;
  const [from, to] = [startOf(month), startOf(neighbourOf(month, 1))];
  const began = sql`page_id = ${pageId} and started_at >= ${from} and started_at < ${to}`;
  const [found] = await sql<{ since: Date; count: number }[]>`
    select least(created_at, (select min(started_at) from incidents where page_id = ${pageId})) as since,
      (select count(*)::int from (select 1 from incidents where ${began} limit ${pageSize * historyPages}) began) as count
    from pages where id = ${pageId}`;
  if (found === undefined || month < monthOf(found.since.getTime())) return undefined;
  const pages = Math.max(1, Math.ceil(found.count / pageSize));
  if (page > pages) return undefined;
  const condition = sql`
    i.id in (
      select id from incidents where ${began}
      order by started_at desc, id desc limit ${pageSize} offset ${(page - 1) * pageSize})`;
  return {
    ...(month > monthOf(found.since.getTime()) && { earlier: neighbourOf(month, -1) }),
    ...(month < current && { later: neighbourOf(month, 1) }),
    pages,
    incidents: await loadShown(sql, { pageId, language, condition, room: textRooms.history, now }),
  };
}

/** Returns the month of a time (milliseconds since the epoch) as `YYYY-MM`. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`);
}

function neighbourOf(month: string, months: number): string {
  const start = startOf(month);
  return monthOf(start.setUTCMonth(start.getUTCMonth() + months));
}
