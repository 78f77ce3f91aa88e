import type { NamedDeployment } from '../../contract/manage/deployments.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';

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

/** Requests in a window, and how many of them failed with a 5xx. */
export type FailureCounts = { requests: number; errors: number };

/** Whether too many of the requests failed, however many there were. A window without requests is not bad. */
export function isBad({ requests, errors }: FailureCounts, rule: AlertRule): boolean {
  return requests > 0 && (100 * errors) / requests >= rule.thresholdPercent;
}

/** Whether the counts open an incident. */
export function opensIncident(counts: FailureCounts, rule: AlertRule): boolean {
  return isBad(counts, rule) && counts.requests >= rule.requestsMin;
}

/** Whether the counts resolve the incident. A window without requests is neither good nor bad. */
export function endsIncident(counts: FailureCounts, rule: AlertRule): boolean {
  return counts.requests > 0 && !isBad(counts, rule);
}

const minuteSeconds = 60;
const daySeconds = 86_400;
const requestsMinMax = 1_000_000_000;

/** Finds the alert rule of a page. Returns `undefined` when the page has none. */
export async function findAlertRule(
  { sql }: { sql: Sql | Transaction },
  pageId: PageId,
): Promise<WatchedRule | undefined> {
  const [rule] = await sql<WatchedRule[]>`
    select threshold_percent as "thresholdPercent", window_seconds as "windowSeconds",
      requests_min as "requestsMin", incident_id as "incidentId"
    from alert_rules where page_id = ${pageId}`;
  return rule;
}

/** An endpoint of a service, with its requests in a window. */
export type EndpointFailures = FailureCounts & { service: string; endpoint: string };

/**
 * The counts of a rule when it opened its incident. `to` is the end of the window, in ISO 8601; the endpoints are those
 * with the most failures, at most three, and none when they could not be read. `deployment` is the newest of their services
 * in the 24 hours before; absent without one.
 */
export type Evidence = FailureCounts & {
  to: string;
  endpoints: readonly EndpointFailures[];
  deployment?: NamedDeployment;
};

/** A rule with the incident that it opened; `since` is when that began. An earlier version kept no evidence. */
export type FiringRule = AlertRule & { pageId: PageId; since: Date; evidence: Evidence | null };

/** Lists the thresholds of the rules of pages, in percent; a page without a rule is not among them. */
export async function listThresholds(
  { sql }: { sql: Sql },
  pageIds: readonly PageId[],
): Promise<ReadonlyMap<PageId, number>> {
  const rules = await sql<{ pageId: PageId; percent: number }[]>`
    select page_id as "pageId", threshold_percent as percent from alert_rules
    where page_id = any (${[...pageIds]}::uuid[])`;
  return new Map(rules.map(({ pageId, percent }) => [pageId, percent]));
}

/** Lists the rules of pages whose outage lasts. */
export async function listFiringRules(sql: Sql, pageIds: readonly PageId[]): Promise<FiringRule[]> {
  return sql<FiringRule[]>`
    select r.page_id as "pageId", r.threshold_percent as "thresholdPercent", r.window_seconds as "windowSeconds",
      r.requests_min as "requestsMin", i.started_at as since, r.evidence
    from alert_rules r join incidents i on i.id = r.incident_id
    where r.page_id = any (${[...pageIds]}::uuid[])`;
}

/** Gets the rule of a page as it is, or `undefined`, in the transaction of a change; it may refuse the change. */
export type CheckRule = (current: WatchedRule | undefined) => void;

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Adds or changes the alert rule of a page. An outage that has an incident keeps that incident.
 *
 * @throws ServiceError `invalidBody` when a value is out of range; what `check` throws.
 */
export async function setAlertRule(
  { sql, clock, by }: Deps,
  { pageId, ...rule }: AlertRule & { pageId: PageId },
  check?: CheckRule,
): Promise<WatchedRule & { isNew: boolean }> {
  checkRule(rule);
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const before = (await lockRule(tx, pageId)) ?? (await addRule(tx, { pageId, rule, now, check }));
    if (before !== undefined) {
      check?.(before);
      await tx`
        update alert_rules set threshold_percent = ${rule.thresholdPercent}, window_seconds = ${rule.windowSeconds},
          requests_min = ${rule.requestsMin}
        where page_id = ${pageId}`;
    }
    await recordRule(tx, { by, now }, pageId, { before: before ?? null, after: rule });
    return { ...rule, incidentId: before?.incidentId ?? null, isNew: before === undefined };
  });
}

/**
 * Removes the alert rule of a page, but not an incident that it opened. Returns whether there was a rule.
 *
 * @throws what `check` throws.
 */
export async function removeAlertRule(
  { sql, clock, by }: Deps,
  { pageId }: { pageId: PageId },
  check?: CheckRule,
): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const before = await lockRule(tx, pageId);
    check?.(before);
    if (before === undefined) return false;
    await tx`delete from alert_rules where page_id = ${pageId}`;
    await recordRule(tx, { by, now: clock.now() }, pageId, { before, after: null });
    return true;
  });
}

type NewRule = { pageId: PageId; rule: AlertRule; now: number; check?: CheckRule | undefined };

/** Adds the first rule of a page. Returns the one that somebody else has added just now instead, if so. */
async function addRule(
  tx: Transaction,
  { pageId, rule, now, check }: NewRule,
): Promise<WatchedRule | undefined> {
  check?.(undefined);
  const added = await tx`
    insert into alert_rules (page_id, threshold_percent, window_seconds, requests_min, created_at)
    values (${pageId}, ${rule.thresholdPercent}, ${rule.windowSeconds}, ${rule.requestsMin}, ${new Date(now)})
    on conflict (page_id) do nothing`;
  return added.count === 1 ? undefined : lockRule(tx, pageId);
}

async function lockRule(tx: Transaction, pageId: PageId): Promise<WatchedRule | undefined> {
  await tx`select 1 from alert_rules where page_id = ${pageId} for update`;
  return findAlertRule({ sql: tx }, pageId);
}

async function recordRule(
  tx: Transaction,
  audit: { by: Actor; now: number },
  pageId: PageId,
  { before, after }: { before: AlertRule | null; after: AlertRule | null },
): Promise<void> {
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  const [page] = await tx<{ slug: string }[]>`select slug from pages where id = ${pageId}`;
  const fields = ({ thresholdPercent, windowSeconds, requestsMin: minimumRequests }: AlertRule) => ({
    ...{ thresholdPercent, windowSeconds, minimumRequests },
  });
  await recordChange(tx, audit, {
    pageId,
    action: `alert-rule.${verb}`,
    target: { type: 'alert-rule', id: pageId, name: page?.slug ?? '' },
    before: before && fields(before),
    after: after && fields(after),
  });
}

/**
 * Checks the values of a rule.
 *
 * @throws ServiceError `invalidBody` when a value is out of range.
 */
export function checkRule({ thresholdPercent, windowSeconds, requestsMin }: AlertRule): void {
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
