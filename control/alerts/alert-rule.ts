import { ControlError } from '../../lib/control-error.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/** When a page's traffic opens an incident: at that share of 5xx among at least that many requests of the window. */
export type AlertRule = {
  /** Above 0, up to 100. */
  thresholdPercent: number;
  /** 60 to 86,400, whole minutes. */
  windowSeconds: number;
  requestsMin: number;
};

/** A rule, and the incident it opened while that outage lasts. */
export type WatchedRule = AlertRule & { incidentId: IncidentId | null };

/** @throws ControlError when there is no such page. */
export async function findRulePage(sql: Sql, slug: string): Promise<PageId> {
  const [page] = await sql<{ id: PageId }[]>`select id from pages where slug = ${slug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  return page.id;
}
