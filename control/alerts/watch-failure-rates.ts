import type { NamedDeployment } from '../../contract/manage/deployments.js';
import type { Clock } from '../../lib/clock.js';
import type { AlarmId, PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { jobActor } from '../audit/index.js';
import { findLastDeployment } from '../deployments/index.js';
import { appendUpdateIn, createIncidentIn, type IncidentFields, lockIncident } from '../incidents/index.js';
import {
  type FailureCounts as Counts,
  type EndpointFailures,
  type Evidence,
  endsIncident,
  type FiringRule,
  opensIncident,
  type WatchedRule,
} from './alert-rule.js';
import { failureTexts } from './failure-texts.js';
import { provideFailureTexts } from './provide-failure-texts.js';

export type WatchDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Counts the requests of a page, and the 5xx among them, between two whole minutes. */
  loadFailureRate(pageId: PageId, range: Range): Promise<Counts>;
  /** The endpoints with the most 5xx between two whole minutes, at most `endpoints`. */
  loadWorstEndpoints(
    pageId: PageId,
    range: Range & { endpoints: number },
  ): Promise<readonly EndpointFailures[]>;
  /**
   * Queues the message of the team, in the transaction that opens the incident. Returns its alarm; `undefined` when no
   * channel reports it.
   */
  tellTeam(tx: Transaction, rule: FiringRule, now: number): Promise<AlarmId | undefined>;
  /** Called after each change of an incident. */
  onChange?: (pageId: PageId) => void;
};
const by = jobActor('watch-failure-rates');

/** In milliseconds since the epoch. */
type Range = { from: number; to: number };
type PageRule = WatchedRule & { pageId: PageId; defaultLanguage: string; languages: string[] };

const worstEndpoints = 3;
/** A version that came earlier is hardly the cause. */
const deploymentsMs = dayMs;

/** Rules that are evaluated at once, so that up to 7 own event stores that hang for 20 s delay no other one. */
const lanes = 8;

/**
 * Compares the failure rate of each page with its alert rule: opens one incident per outage, and resolves it once the
 * rate over the window is good. Skips pages without the capabilities for that, and those whose own event store fails.
 *
 * @throws ServiceError `storeUnavailable` when the installation's ClickHouse is unavailable; Error for failures of
 *   single pages after all pages are done.
 */
export async function watchFailureRates(deps: WatchDeps): Promise<void> {
  const rules = await loadRules(deps.sql);
  const left = rules.values();
  let outage: ServiceError | undefined;
  let failures = 0;

  async function watchNext(): Promise<void> {
    for (const rule of left) {
      if (outage !== undefined) return;
      try {
        await watchPage(deps, rule);
      } catch (err) {
        if (err instanceof ServiceError && err.kind === 'storeUnavailable') outage = err;
        else if (err instanceof ServiceError && err.kind === 'ownStoreUnavailable')
          logOwnStore(deps, rule, err);
        else {
          failures += 1;
          deps.log.error(
            { pageId: rule.pageId, err },
            'The failure rate of a page could not be compared with its rule.',
          );
        }
      }
    }
  }

  await Promise.all(Array.from({ length: lanes }, watchNext));
  if (outage !== undefined) throw outage;
  if (failures > 0) throw new Error(`${failures} of ${rules.length} alert rules could not be evaluated.`);
}

/** The fault is not the service's, so the run does not fail. */
function logOwnStore({ log }: WatchDeps, { pageId }: PageRule, { message }: ServiceError): void {
  log.warn({ pageId, error: message }, 'The failure rate of a page is in an event store that fails.');
}

/** Pages on the installation's store come first, so that own stores that hang, however many, delay none of them in a run. */
async function loadRules(sql: Sql): Promise<PageRule[]> {
  return sql<PageRule[]>`
    select r.page_id as "pageId", r.threshold_percent as "thresholdPercent", r.window_seconds as "windowSeconds",
      r.requests_min as "requestsMin", r.incident_id as "incidentId",
      p.default_language as "defaultLanguage", p.languages
    from alert_rules r join pages p on p.id = r.page_id join accounts a on a.id = p.account_id
    where a.incident_writes and a.internal_analytics
    order by exists (select 1 from event_stores s where s.page_id = r.page_id), r.page_id`;
}

async function watchPage(deps: WatchDeps, rule: PageRule): Promise<void> {
  const { sql, clock, log, loadFailureRate, onChange } = deps;
  const { pageId } = rule;
  const to = Math.floor(clock.now() / minuteMs) * minuteMs;
  const range = { from: to - rule.windowSeconds * 1000, to };
  const counts = await loadFailureRate(pageId, range);
  if (rule.incidentId === null && opensIncident(counts, rule)) {
    const endpoints = await loadWorst(deps, pageId, range);
    const evidence = { ...counts, to: new Date(to).toISOString(), endpoints };
    const opened = await inTransaction(sql, (tx) =>
      open(tx, deps, { rule, counts: evidence, now: clock.now() }),
    );
    if (opened) {
      onChange?.(pageId);
      log.warn({ pageId, ...counts }, 'An alert rule has opened an incident.');
    }
  }
  if (rule.incidentId !== null && endsIncident(counts, rule)) {
    const over = await inTransaction(sql, (tx) => resolve(tx, { rule, counts, now: clock.now() }));
    if (over) {
      onChange?.(pageId);
      log.info({ pageId, ...counts }, 'The outage that an alert rule detected is over.');
    }
  }
}

/** They tell the team where to look; an incident is opened without them too. */
async function loadWorst(
  { log, loadWorstEndpoints }: WatchDeps,
  pageId: PageId,
  range: Range,
): Promise<readonly EndpointFailures[]> {
  try {
    return await loadWorstEndpoints(pageId, { ...range, endpoints: worstEndpoints });
  } catch (err) {
    log.warn({ pageId, err }, 'The endpoints of an outage could not be read.');
    return [];
  }
}

type Outage<Counted = Counts> = { rule: PageRule; counts: Counted; now: number };

async function open(
  tx: Transaction,
  { tellTeam }: WatchDeps,
  { rule, counts, now }: Outage<Evidence>,
): Promise<boolean> {
  if (!(await lockRule(tx, rule))) return false;
  const { pageId, defaultLanguage, windowSeconds } = rule;
  const deployment = await findDeployment(tx, { rule, counts, now });
  const evidence = { ...counts, ...(deployment !== undefined && { deployment }) };
  const afterAlarmId = await tellTeam(tx, { ...rule, since: new Date(now), evidence }, now);
  const texts = failureTexts(defaultLanguage, { counts: evidence, windowSeconds });
  const input: IncidentFields = {
    type: 'incident',
    title: texts.title,
    summary: texts.summary,
    monitorSlugs: [],
    startedAt: new Date(now),
    resolvedAt: null,
    scheduledEndAt: null,
  };
  const incident = await createIncidentIn(tx, { pageId, input, afterAlarmId, now, by });
  await provideFailureTexts(
    tx,
    { page: rule, counts: evidence, now },
    { own: texts, parts: ['title', 'summary'] },
  );
  await tx`
    update alert_rules set incident_id = ${incident.id}, evidence = ${tx.json(evidence)}
    where page_id = ${pageId}`;
  return true;
}

/** Finds the newest version that came to a service with failing endpoints before they failed. The public texts do not name it. */
async function findDeployment(
  tx: Transaction,
  { rule: { pageId }, counts: { endpoints }, now }: Outage<Evidence>,
): Promise<NamedDeployment | undefined> {
  const services = [...new Set(endpoints.map(({ service }) => service))];
  const last = await findLastDeployment(tx, { pageId, services, from: now - deploymentsMs, to: now });
  if (last === undefined) return undefined;
  const { service, version, environment, at } = last;
  return { service, version, environment: environment || null, at: at.toISOString() };
}

/** Somebody may have resolved the incident already, but the outage ends for the rule only now. */
async function resolve(tx: Transaction, outage: Outage): Promise<boolean> {
  const { rule, counts, now } = outage;
  const { pageId, incidentId, defaultLanguage, windowSeconds } = rule;
  if (incidentId === null || !(await lockRule(tx, rule))) return false;
  const incident = await lockIncident(tx, pageId, incidentId);
  if (incident?.resolved_at === null) {
    const own = failureTexts(defaultLanguage, { counts, windowSeconds });
    const input = { body: own.resolved, status: 'resolved' as const, notify: true };
    await appendUpdateIn(tx, { pageId, incidentId, input, now, by });
    await provideFailureTexts(tx, { page: rule, counts, now }, { own, parts: ['resolved'] });
  }
  await tx`update alert_rules set incident_id = null, evidence = null where page_id = ${pageId}`;
  return true;
}

/** Locks the rule until the transaction ends. Returns whether the rule is still the one that was compared. */
async function lockRule(tx: Transaction, rule: PageRule): Promise<boolean> {
  const rows = await tx`
    select 1 from alert_rules
    where page_id = ${rule.pageId} and threshold_percent = ${rule.thresholdPercent}
      and window_seconds = ${rule.windowSeconds} and requests_min = ${rule.requestsMin}
      and incident_id is not distinct from ${rule.incidentId}
    for update`;
  return rows.length === 1;
}
