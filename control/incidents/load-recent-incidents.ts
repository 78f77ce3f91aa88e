import type { LedgerEntry } from '../../contract/incidents.js';
import { viewLimits } from '../../contract/status-page.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadEntries } from './load-ledger.js';

const dayMs = 86_400_000;

/**
 * The entries of the ledger that are open, running or planned, and those that began or ended today or on the days
 * before it that a page shows (UTC); newest first. Of too many, open ones and then the newest are kept.
 */
export async function loadRecentIncidents(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
): Promise<LedgerEntry[]> {
  const now = clock.now();
  const since = new Date((Math.floor(now / dayMs) - viewLimits.recentDays) * dayMs);
  const shown = sql`
    i.page_id = ${pageId} and i.id in (
      select id from incidents
      where page_id = ${pageId} and (resolved_at is null or started_at >= ${since} or resolved_at >= ${since})
      order by resolved_at is null desc, started_at desc, id desc limit ${viewLimits.recentIncidents})`;
  return loadEntries(sql, pageId, shown, now);
}
