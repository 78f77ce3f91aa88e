import type { Sql } from '../../sql/open-postgres.js';
import { findRulePage } from './alert-rule.js';

/**
 * Puts a page's alert rule off; an incident that it opened stays as it is. Answers whether there was a rule.
 *
 * @throws ControlError when there is no such page.
 */
export async function removeAlertRule({ sql }: { sql: Sql }, slug: string): Promise<boolean> {
  const pageId = await findRulePage(sql, slug);
  const removed = await sql`delete from alert_rules where page_id = ${pageId}`;
  return removed.count === 1;
}
