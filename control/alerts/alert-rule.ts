import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * When the traffic of a page opens an incident: when at least that share of at least that many requests in the window
 * failed with a 5xx.
 */
export type AlertRule = {
  /** Above 0, up to 100. */
  thresholdPercent: number;
  /** 60 to 86,400, whole minutes. */
  windowSeconds: number;
  requestsMin: number;
};

/** A rule, and the incident that it opened while that outage lasts. */
export type WatchedRule = AlertRule & { incidentId: IncidentId | null };

const minuteSeconds = 60;
const daySeconds = 86_400;
const requestsMinMax = 1_000_000_000;

/** The alert rule of a page. Returns `undefined` when the page has none. */
export async function findAlertRule({ sql }: { sql: Sql }, pageId: PageId): Promise<WatchedRule | undefined> {
  const [rule] = await sql<WatchedRule[]>`
    select threshold_percent as "thresholdPercent", window_seconds as "windowSeconds",
      requests_min as "requestsMin", incident_id as "incidentId"
    from alert_rules where page_id = ${pageId}`;
  return rule;
}

/**
 * Adds or changes the alert rule of a page. An outage that has an incident keeps that incident.
 *
 * @throws ServiceError `invalidBody` when a value is out of range.
 */
export async function setAlertRule(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, ...rule }: AlertRule & { pageId: PageId },
): Promise<WatchedRule> {
  check(rule);
  const rows = await sql<Pick<WatchedRule, 'incidentId'>[]>`
    insert into alert_rules (page_id, threshold_percent, window_seconds, requests_min, created_at)
    values (${pageId}, ${rule.thresholdPercent}, ${rule.windowSeconds}, ${rule.requestsMin}, ${new Date(clock.now())})
    on conflict (page_id) do update set threshold_percent = excluded.threshold_percent,
      window_seconds = excluded.window_seconds, requests_min = excluded.requests_min
    returning incident_id as "incidentId"`;
  return { ...rule, incidentId: rows[0]?.incidentId ?? null };
}

/** Removes the alert rule of a page, but not an incident that it opened. Returns whether there was a rule. */
export async function removeAlertRule({ sql }: { sql: Sql }, pageId: PageId): Promise<boolean> {
  const removed = await sql`delete from alert_rules where page_id = ${pageId}`;
  return removed.count === 1;
}

function check({ thresholdPercent, windowSeconds, requestsMin }: AlertRule): void {
  if (!(thresholdPercent > 0 && thresholdPercent <= 100)) {
    throw invalid('The threshold must be above 0 and at most 100 percent.');
  }
  const minutes = windowSeconds / minuteSeconds;
  if (!Number.isInteger(minutes) || minutes < 1 || windowSeconds > daySeconds) {
    throw invalid(`The window must be whole minutes, from ${minuteSeconds} to ${daySeconds} seconds.`);
  }
  if (!Number.isInteger(requestsMin) || requestsMin < 1 || requestsMin > requestsMinMax) {
    throw invalid(`The minimum of requests must be a whole number from 1 to ${requestsMinMax}.`);
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
