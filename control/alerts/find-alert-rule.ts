import type { Sql } from '../../sql/open-postgres.js';
import { findRulePage, type WatchedRule } from './alert-rule.js';

/**
 * The alert rule of the page with this slug; undefined when it is off.
 *
 * @throws ControlError when there is no such page.
 */
export async function findAlertRule({ sql }: { sql: Sql }, slug: string): Promise<WatchedRule | undefined> {
  const pageId = await findRulePage(sql, slug);
  const [rule] = await sql<WatchedRule[]>`
    select threshold_percent as "thresholdPercent", window_seconds as "windowSeconds",
      requests_min as "requestsMin", incident_id as "incidentId"
    from alert_rules where page_id = ${pageId}`;
  return rule;
}
