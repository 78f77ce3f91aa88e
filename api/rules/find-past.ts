import { judgeReporting } from '../../analytics/judge-reporter.js';
import { loadMinutes } from '../../analytics/objectives/spending.js';
import { loadReporters } from '../../analytics/reporters.js';
import { loadGaps } from '../../analytics/rules/load-gaps.js';
import { loadPast, loadWorstGroups, type PastRow } from '../../analytics/rules/load-past.js';
import { analyticsLimits } from '../../contract/analytics/limits.js';
import { rulePreviewLimits } from '../../contract/manage/rule-preview.js';
import { requestRuleKinds } from '../../contract/manage/rules.js';
import { listStandingMonitors } from '../../control/monitors/index.js';
import { burnRate, findObjective } from '../../control/objectives/index.js';
import {
  levelOf,
  monitorsOf,
  type Observation,
  observeBurnRate,
  observeMonitors,
  observePools,
  observeReporters,
  observeRequests,
  type PastGroup,
  type Rule,
  reportersOf,
  worstMonitors,
  worstPools,
} from '../../control/rules/index.js';
import { figuresOf, loadPoolMinutes, loadPoolWindows } from '../../database-health/pool-windows.js';
import { groupBy } from '../../lib/group-by.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { readStates } from '../../rollups/series/read-states.js';
import type { ManageRoutesDeps } from '../routes/manage/deps.js';

/** `clickhouse` is the store of the installation: checks and pools are there, wherever the events of a page are. */
export type PastDeps = Pick<ManageRoutesDeps, 'sql' | 'clickhouse' | 'clock' | 'pageStores'>;
type Range = { from: number; to: number };
type Observer = (at: number) => readonly Observation[];

/** The four weeks before a window say what is usual. */
const usualMs = 28 * dayMs;

/**
 * Returns what looks at a rule at each minute of a range, as it would have been looked at then; or a sentence why nothing is kept
 * of its past. A rule with groups is tried on the worst of them.
 *
 * @throws ServiceError `invalidBody` when the rule names an objective that the page does not have; what the reads throw.
 */
export async function findPast(deps: PastDeps, rule: Rule, range: Range): Promise<Observer | string> {
  if (requestRuleKinds.some((kind) => kind === rule.kind))
    return observeRequests(rule, await loadGroups(deps, rule, range));
  if (rule.kind === 'burn-rate') return observeObjective(deps, rule, range);
  if (rule.kind === 'pool') return findPools(deps, rule, range);
  if (rule.kind === 'monitor') return findMonitors(deps, rule, range);
  if (rule.kind === 'reporter') return findReporters(deps, rule, range);
  return 'A query runs on what is there when it runs. The rule is looked at from now on.';
}

/** Reporters that a preview tries at most: two weeks of one that reports every minute are 20,160 rows. */
const reportersMax = 200;

/** Promises to report are taken as they are now, and goodbyes but the last one are not known. */
async function findReporters(
  { sql, clock, pageStores }: PastDeps,
  rule: Rule,
  range: Range,
): Promise<Observer | string> {
  const { pageId } = rule;
  const clickhouse = pageStores.clickhouseOf(pageId);
  const query = { windowSeconds: analyticsLimits.windowSecondsDefault };
  const { reporters } = await loadReporters({ sql, clock, clickhouse }, pageId, query);
  // Reporters that name a service are looked at one by one, and the service is not.
  const alone = reporters.filter(({ instances }) => instances === undefined);
  const chosen = reportersOf(
    rule,
    alone.map((one) => ({ ...one, pageId })),
  );
  if (chosen.length > reportersMax)
    return `The rule looks at ${chosen.length} services and reporters; a preview takes at most ${reportersMax}. Name one, a team or a region.`;
  const promising = chosen.map(({ kind, id, expectedEverySeconds }) => ({
    ...{ kind, source: id, promisedSeconds: expectedEverySeconds ?? 0 },
  }));
  const past = await loadGaps(clickhouse, pageId, promising, range);
  const found = chosen.flatMap((reporter) => {
    const own = past.find(({ kind, source }) => kind === reporter.kind && source === reporter.id);
    if (own === undefined || own.expectedSeconds === 0) return [];
    const { firstAt, lastAt, expectedSeconds } = own;
    const stoppedAt = reporter.reporting === 'stopped' ? lastAt : null;
    const gaps = [...own.gaps, { from: lastAt, to: Number.POSITIVE_INFINITY }];
    return [{ ...reporter, firstAt, expectedSeconds, stoppedAt, gaps }];
  });
  const lateMs = ({ gaps, expectedSeconds }: (typeof found)[number]) =>
    gaps.reduce((sum, gap) => sum + Math.min(gap.to, range.to) - gap.from - expectedSeconds * 1000, 0);
  const worst = found.sort((a, b) => lateMs(b) - lateMs(a)).slice(0, rulePreviewLimits.groups);
  return observeReporters(rule, worst, ({ expectedSeconds: promisedSeconds, ...life }) =>
    judgeReporting({ ...life, promisedSeconds, rhythm: undefined }),
  );
}

async function findMonitors(
  { sql, clickhouse, clock }: PastDeps,
  rule: Rule,
  range: Range,
): Promise<Observer | string> {
  if (rule.condition.certificateDays !== undefined)
    return 'Of a certificate only its end is known, as it is now. The rule is looked at from now on.';
  const { pageId } = rule;
  const standing = await listStandingMonitors(sql, { pageIds: [pageId], now: clock.now() });
  const monitors = monitorsOf(rule, standing);
  const monitorIds = monitors.map(({ id }) => id);
  const states = await readStates({ sql, clickhouse }, { pageId, monitorIds }, range);
  const past = monitors.map(({ slug, name, group }, i) => ({
    ...{ slug, name, group, changes: states[i]?.changes ?? [], excluded: states[i]?.excluded ?? [] },
  }));
  return observeMonitors(rule, worstMonitors(rule, past, range, rulePreviewLimits.groups));
}

async function findPools({ clickhouse }: PastDeps, rule: Rule, { from, to }: Range): Promise<Observer> {
  const { pageId, condition } = rule;
  const windowMs = (condition.windowMinutes ?? 1) * minuteMs;
  const first = from - windowMs;
  const asked = { pageIds: [pageId], windowsMinutes: [(to - first) / minuteMs], to };
  const pools = worstPools(rule, await loadPoolWindows({ clickhouse }, asked), rulePreviewLimits.groups);
  const minutes = groupBy(await loadPoolMinutes({ clickhouse }, { pageId, pools, from: first, to }), poolKey);
  const past = pools.map(({ service, environment, target, pool }) => {
    const names = { service, environment, target, pool };
    return { ...names, minutes: minutes.get(poolKey(names)) ?? [] };
  });
  return observePools(rule, past, figuresOf);
}

type PoolNames = { service: string; environment: string; target: string; pool: string };
const poolKey = ({ service, environment, target, pool }: PoolNames): string =>
  JSON.stringify([service, environment, target, pool]);

async function loadGroups({ pageStores }: PastDeps, rule: Rule, { from, to }: Range): Promise<PastGroup[]> {
  const reader = pageStores.clickhouseOf(rule.pageId);
  const { service, endpoint, method } = rule.target;
  const target = {
    ...{ ...(service !== undefined && { service }), ...(endpoint !== undefined && { endpoint }) },
    ...(method !== undefined && { method }),
  };
  const asked = { pageId: rule.pageId, level: levelOf(rule), target };
  const windowMs = (rule.condition.windowMinutes ?? 1) * minuteMs;
  const worst = {
    by: rule.kind === 'failure-rate' ? 'errors' : 'requests',
    limit: rulePreviewLimits.groups,
  } as const;
  const whole = { from: Math.floor(from / hourMs) * hourMs, to: Math.ceil(to / hourMs) * hourMs };
  const groups = await loadWorstGroups(reader, { ...asked, ...whole }, worst);
  if (groups.length === 0) return [];
  const isTimed = rule.kind === 'latency';
  const minutes = await loadPast(reader, {
    ...{ ...asked, groups, from: from - windowMs, to, step: 'minute', isTimed },
  });
  const comparesWithUsual = rule.condition.belowPercentOfUsual !== undefined;
  const past = { from: whole.from - usualMs - windowMs - hourMs, to: whole.to };
  const hours = comparesWithUsual
    ? await loadPast(reader, { ...asked, groups, ...past, step: 'hour', isTimed: false })
    : [];
  const [minutesOf, hoursOf] = [groupBy(minutes, keyOf), groupBy(hours, keyOf)];
  return groups.map((names) => ({
    ...names,
    ...{ minutes: minutesOf.get(keyOf(names)) ?? [], hours: hoursOf.get(keyOf(names)) ?? [] },
  }));
}

function keyOf({ service, endpoint, method }: Pick<PastRow, 'service' | 'endpoint' | 'method'>): string {
  return JSON.stringify([service, endpoint, method]);
}

async function observeObjective(
  { sql, pageStores }: PastDeps,
  rule: Rule,
  { from, to }: Range,
): Promise<Observer | string> {
  const { pageId, target, condition } = rule;
  const objective = await loadObjectiveOf({ sql }, pageId, target.objective ?? '');
  if (!('requests' in objective.sli)) {
    return `The objective ${objective.slug} is about a monitor, whose time is added up by the hour. The rule is looked at from now on.`;
  }
  const period = { from: from - (condition.longMinutes ?? 0) * minuteMs, to };
  const clickhouse = pageStores.clickhouseOf(pageId);
  const minutes = await loadMinutes({ clickhouse }, { pageId, sli: objective.sli.requests }, period);
  return observeBurnRate(rule, minutes, (counts) => burnRate(counts, objective.target));
}

async function loadObjectiveOf({ sql }: Pick<PastDeps, 'sql'>, pageId: PageId, slug: string) {
  const objective = await findObjective(sql, { pageId, slug });
  if (objective !== undefined) return objective;
  throw new ServiceError('invalidBody', {
    message: `/target/objective: the page has no objective "${slug}".`,
  });
}
