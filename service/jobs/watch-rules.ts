import { loadWorstEndpoints } from '../../analytics/failure-rates.js';
import { loadMessageGroups } from '../../analytics/message-groups.js';
import { loadWindowCounts, loadWindowPercentiles } from '../../analytics/rules/load-windows.js';
import { type RuleKind, requestRuleKinds, ruleKinds } from '../../contract/manage/rules.js';
import {
  type AlertEvidence as Evidence,
  escalate,
  holdBack,
  type Looker,
  tellAlerts,
  watchRules,
} from '../../control/alerts/index.js';
import { findLastDeployment } from '../../control/deployments/index.js';
import { listStandingMonitors } from '../../control/monitors/index.js';
import {
  judgeMonitors,
  lookAtRequests,
  type Observation,
  partsOfGroup,
  type RequestReads,
  type Rule,
  type RuleLook,
} from '../../control/rules/index.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import type { JobDeps } from './job.js';
import { lookAtBurnRates } from './look-at-burn-rates.js';
import { lookAtPools } from './look-at-pools.js';
import { lookAtReporters } from './look-at-reporters.js';

/** Endpoints and messages that a message of an alert has. */
const worst = 3;
/** A version that came earlier is hardly the cause. */
const deploymentMs = dayMs;

/** Looks at the rules of all pages, then tells of the alerts that began and ended. */
export async function lookAtRules(deps: JobDeps): Promise<void> {
  try {
    await watch(deps);
  } finally {
    // Findings are told, also when some pages failed.
    await holdBack(deps.sql, deps.clock.now());
    await tellAlerts(deps);
    await escalate(deps);
  }
}

/**
 * Looks at the rules of one page about requests, at the time of the clock, which may be long ago. Tells nobody. Monitors and
 * reporters are known as they are now, so that their rules are left out.
 */
export function lookAtRulesOf(deps: JobDeps, pageId: PageId): Promise<void> {
  return watch(deps, { only: pageId, kinds: requestRuleKinds });
}

type Watched = { only?: PageId; kinds?: readonly RuleKind[] };

function watch(deps: JobDeps, { only, kinds = ruleKinds }: Watched = {}): Promise<void> {
  return watchRules({
    ...deps,
    only,
    lookersOf(pageId) {
      const all = lookersOf(deps, pageId === undefined ? deps.clickhouse : deps.clickhouseOf(pageId));
      return all.filter((looker) => looker.kinds.some((kind) => kinds.includes(kind)));
    },
    loadEvidence: (rule, observation, to) => loadEvidence(deps, { rule, observation, to }),
  });
}

/** Looks at the rules of pages whose requests are in one store. */
function lookersOf(deps: JobDeps, reader: EventReader): Looker[] {
  return [
    // A minute that still runs is quiet until it is over, but a share or a time that is too high is so already.
    { kinds: ['failure-rate', 'latency'], second: 'running', look: lookAtRequestsOf(reader) },
    { kinds: ['traffic'], look: lookAtRequestsOf(reader) },
    { kinds: ['burn-rate'], look: (rules, to) => lookAtBurnRates({ ...deps, reader }, rules, to) },
    { kinds: ['monitor'], second: 'again', look: (rules) => lookAtMonitors(deps, rules) },
    { kinds: ['reporter'], look: (rules) => lookAtReporters(deps, rules) },
    { kinds: ['pool'], look: (rules, to) => lookAtPools(deps, rules, to) },
  ];
}

async function lookAtMonitors(
  { sql, clock }: JobDeps,
  rules: readonly Rule[],
): Promise<[RuleId, RuleLook][]> {
  const now = clock.now();
  const pageIds = [...new Set(rules.map(({ pageId }) => pageId))];
  const monitors = await listStandingMonitors(sql, { pageIds, now });
  return rules.map((rule) => [rule.id, { observations: judgeMonitors(rule, monitors, now) }]);
}

function lookAtRequestsOf(reader: EventReader): Looker['look'] {
  const reads: RequestReads = {
    counts: (asked) => loadWindowCounts(reader, asked),
    percentiles: (asked) => loadWindowPercentiles(reader, asked),
  };
  return (rules, to) => lookAtRequests(reads, rules, to);
}

type Begun = { rule: Rule; observation: Observation; to: number };

/** Evidence that cannot be read is left out: an alert begins without it too. */
async function loadEvidence(deps: JobDeps, begun: Begun): Promise<Evidence> {
  const { rule, to } = begun;
  const { windowMinutes } = rule.condition;
  if (windowMinutes === undefined || rule.kind === 'pool') return {};
  const range = { from: to - windowMinutes * minuteMs, to };
  const [endpoints, messages] = await Promise.all([
    leftOut(deps, rule, loadEndpoints(deps, begun, range)),
    leftOut(deps, rule, loadMessages(deps, begun, range)),
  ]);
  const services = [...new Set(endpoints?.map(({ service }) => service) ?? [])];
  const found = services.length === 0 ? undefined : await findDeployment(deps, rule, services, to);
  return {
    ...{ from: new Date(range.from).toISOString(), to: new Date(to).toISOString() },
    ...(endpoints !== undefined && { endpoints }),
    ...(messages !== undefined && { messages }),
    ...(found !== undefined && { deployment: found }),
  };
}

async function leftOut<T>({ log }: JobDeps, { pageId }: Rule, reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((err: unknown) => {
    log.warn({ pageId, err }, 'What an alert shows besides its figure could not be read.');
    return undefined;
  });
}

type Range = { from: number; to: number };

async function loadEndpoints({ clickhouseOf }: JobDeps, { rule, observation }: Begun, range: Range) {
  const clickhouse = clickhouseOf(rule.pageId);
  const { service, endpoint } = placeOf(rule, observation);
  const found = await loadWorstEndpoints({ clickhouse }, rule.pageId, { ...range, endpoints: worst * 10 });
  return found
    .filter((one) => service === undefined || one.service === service)
    .filter((one) => endpoint === undefined || one.endpoint === endpoint)
    .slice(0, worst);
}

async function loadMessages({ clickhouseOf }: JobDeps, { rule, observation, to }: Begun, range: Range) {
  const { service, endpoint } = placeOf(rule, observation);
  const filters = {
    ...(service !== undefined && { service: { services: [service], reporter: service } }),
    ...(endpoint !== undefined && { endpoint }),
  };
  const query = { ...range, filters, limit: worst, now: to };
  const { groups } = await loadMessageGroups({ clickhouse: clickhouseOf(rule.pageId) }, rule.pageId, query);
  return groups.map(({ message, count }) => ({ message, count }));
}

/** The service and endpoint that an alert is about. */
function placeOf({ target }: Rule, { group }: Observation): { service?: string; endpoint?: string } {
  const [service = target.service?.toLowerCase(), endpoint = target.endpoint] =
    target.by === undefined ? [] : partsOfGroup(group);
  return { ...(service !== undefined && { service }), ...(endpoint !== undefined && { endpoint }) };
}

async function findDeployment({ sql }: JobDeps, { pageId }: Rule, services: readonly string[], to: number) {
  const last = await findLastDeployment(sql, { pageId, services, from: to - deploymentMs, to });
  if (last === undefined) return undefined;
  const { service, version, environment, at } = last;
  return { service, version, environment: environment || null, at: at.toISOString() };
}
