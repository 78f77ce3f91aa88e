import type { LedgerEntry } from '../../contract/incidents.js';
import { viewLimits } from '../../contract/status-page.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadEntries } from './load-ledger.js';

export type IncidentMonth = {
  /** The months before and after that a page has; `YYYY-MM`. */
  earlier?: string;
  later?: string;
  /** Newest first; of too many the newest. */
  incidents: LedgerEntry[];
};

/**
 * The entries of the ledger that began in a month of UTC, given as `YYYY-MM`. Undefined for a month after this one,
 * and for one before both the page and its first incident.
 */
export async function loadIncidentMonth(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
  month: string,
): Promise<IncidentMonth | undefined> {
  const now = clock.now();
  const current = monthOf(now);
  if (month > current) return undefined;
  const [page] = await sql<{ since: Date }[]>`
    select least(created_at, (select min(started_at) from incidents where page_id = ${pageId})) as since
    from pages where id = ${pageId}`;
  if (page === undefined || month < monthOf(page.since.getTime())) return undefined;
  const [from, to] = [startOf(month), startOf(neighbourOf(month, 1))];
  const began = sql`
    i.page_id = ${pageId} and i.id in (
      select id from incidents where page_id = ${pageId} and started_at >= ${from} and started_at < ${to}
      order by started_at desc, id desc limit ${viewLimits.incidentsOfMonth})`;
  return {
    ...(month > monthOf(page.since.getTime()) && { earlier: neighbourOf(month, -1) }),
    ...(month < current && { later: neighbourOf(month, 1) }),
    incidents: await loadEntries(sql, pageId, began, now),
  };
}

/** `YYYY-MM` of a time in milliseconds since 1970. */
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
