import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { changeRule, deleteRule, putRule, type Rule } from '../rules/index.js';
import { changeAlertsOfRule, endAlertsOfRule } from './settle-looks.js';

/** The slug of the rule that opens an incident by the traffic of the whole page. */
export const failureRateSlug = 'failure-rate';

/**
 * The rule with the slug `failure-rate` as it was when a page had one rule: it opens an incident when at least that share of at least
 * that many requests in the window failed with a 5xx.
 */
export type AlertRule = {
  /** Above 0, up to 100. */
  thresholdPercent: number;
  /** 60 to 86,400, whole minutes. */
  windowSeconds: number;
  requestsMin: number;
};

/** A rule, and the incident that it opened while that outage lasts. */
export type WatchedAlertRule = AlertRule & { incidentId: IncidentId | null };

const daySeconds = 86_400;
const minuteSeconds = minuteMs / secondMs;
const requestsMinMax = 1_000_000_000;

type Row = { pageId: PageId; condition: Rule['condition']; incidentId: IncidentId | null };

/** Finds the alert rule of a page. Returns `undefined` when the page has none. */
export async function findAlertRule(
  { sql }: { sql: Sql | Transaction },
  pageId: PageId,
): Promise<WatchedAlertRule | undefined> {
  const [row] = await sql<Row[]>`
    select r.page_id as "pageId", r.condition, a.incident_id as "incidentId"
    from rules r left join alerts a on a.rule_id = r.id and a.resolved_at is null
    where r.page_id = ${pageId} and r.slug = ${failureRateSlug} and r.kind = 'failure-rate' and r.enabled`;
  return row && { ...toAlertRule(row), incidentId: row.incidentId };
}

function toAlertRule({ condition }: Pick<Row, 'condition'>): AlertRule {
  const { percent = 100, windowMinutes = 1, requestsMin = 1 } = condition;
  return { thresholdPercent: percent, windowSeconds: windowMinutes * minuteSeconds, requestsMin };
}

/** Lists the thresholds of the rules of pages, in percent; a page without a rule is not among them. */
export async function listThresholds(
  { sql }: { sql: Sql },
  pageIds: readonly PageId[],
): Promise<ReadonlyMap<PageId, number>> {
  const rows = await sql<Omit<Row, 'incidentId'>[]>`
    select page_id as "pageId", condition from rules
    where page_id = any (${[...pageIds]}::uuid[]) and slug = ${failureRateSlug} and kind = 'failure-rate' and enabled`;
  return new Map(rows.map((row) => [row.pageId, toAlertRule(row).thresholdPercent]));
}

/** Gets the rule of a page as it is, or `undefined`, in the transaction of a change; it may refuse the change. */
export type CheckAlertRule = (current: WatchedAlertRule | undefined) => void;

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Adds or changes the alert rule of a page, and leaves the other settings of the rule as they are. An outage that has an incident
 * keeps that incident.
 *
 * @throws ServiceError `invalidBody` when a value is out of range, `conflict` when the page has as many rules as it may have; what
 *   `check` throws.
 */
export async function setAlertRule(
  deps: Deps,
  { pageId, ...rule }: AlertRule & { pageId: PageId },
  check?: CheckAlertRule,
): Promise<WatchedAlertRule & { isNew: boolean }> {
  checkAlertRule(rule);
  const { thresholdPercent: percent, windowSeconds, requestsMin } = rule;
  const condition = { percent, windowMinutes: windowSeconds / minuteSeconds, requestsMin };
  const withAlerts = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  const ref = { pageId, slug: failureRateSlug };
  const before = await findAlertRule(deps, pageId);
  if (before !== undefined) {
    const changed = await changeRule(withAlerts, { ...ref, condition }, (current) =>
      check?.(unchecked(current)),
    );
    const incidentId = changed.alerts === 0 ? null : before.incidentId;
    return { ...rule, incidentId, isNew: false };
  }
  const fresh = {
    ...ref,
    name: 'Failure rate',
    kind: 'failure-rate',
    condition,
    opensIncident: { template: null },
  } as const;
  const { isNew } = await putRule(withAlerts, fresh, (current) =>
    check?.(current?.enabled ? unchecked(current) : undefined),
  );
  return { ...rule, incidentId: null, isNew };
}

/**
 * Removes the alert rule of a page, but not an incident that it opened. Returns whether there was a rule.
 *
 * @throws what `check` throws.
 */
export async function removeAlertRule(
  deps: Deps,
  { pageId }: { pageId: PageId },
  check?: CheckAlertRule,
): Promise<boolean> {
  const withAlerts = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  if ((await findAlertRule(deps, pageId)) === undefined) {
    check?.(undefined);
    return false;
  }
  await deleteRule(withAlerts, { pageId, slug: failureRateSlug }, (current) => check?.(unchecked(current)));
  return true;
}

/** The incident is no part of what a change is compared with. */
function unchecked(rule: Pick<Rule, 'condition'>): WatchedAlertRule {
  return { ...toAlertRule(rule), incidentId: null };
}

/**
 * Checks the values of a rule.
 *
 * @throws ServiceError `invalidBody` when a value is out of range.
 */
export function checkAlertRule({ thresholdPercent, windowSeconds, requestsMin }: AlertRule): void {
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
