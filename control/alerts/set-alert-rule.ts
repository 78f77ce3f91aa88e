import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type AlertRule, findRulePage, type WatchedRule } from './alert-rule.js';

const minuteSeconds = 60;
const daySeconds = 86_400;
const requestsMinMax = 1_000_000_000;

/**
 * Puts a page's alert rule on, or changes it; an outage that has an incident goes on having that one.
 *
 * @throws ControlError when there is no such page or a value is out of range.
 */
export async function setAlertRule(
  { sql, clock }: { sql: Sql; clock: Clock },
  { slug, ...rule }: AlertRule & { slug: string },
): Promise<WatchedRule> {
  check(rule);
  const pageId = await findRulePage(sql, slug);
  const rows = await sql<Pick<WatchedRule, 'incidentId'>[]>`
    insert into alert_rules (page_id, threshold_percent, window_seconds, requests_min, created_at)
    values (${pageId}, ${rule.thresholdPercent}, ${rule.windowSeconds}, ${rule.requestsMin}, ${new Date(clock.now())})
    on conflict (page_id) do update set threshold_percent = excluded.threshold_percent,
      window_seconds = excluded.window_seconds, requests_min = excluded.requests_min
    returning incident_id as "incidentId"`;
  return { ...rule, incidentId: rows[0]?.incidentId ?? null };
}

function check({ thresholdPercent, windowSeconds, requestsMin }: AlertRule): void {
  if (!(thresholdPercent > 0 && thresholdPercent <= 100)) {
    throw new ControlError('The threshold must be above 0 and at most 100 percent.');
  }
  const minutes = windowSeconds / minuteSeconds;
  if (!Number.isInteger(minutes) || minutes < 1 || windowSeconds > daySeconds) {
    throw new ControlError(
      `The window must be whole minutes, from ${minuteSeconds} to ${daySeconds} seconds.`,
    );
  }
  if (!Number.isInteger(requestsMin) || requestsMin < 1 || requestsMin > requestsMinMax) {
    throw new ControlError(`The minimum of requests must be a whole number from 1 to ${requestsMinMax}.`);
  }
}
