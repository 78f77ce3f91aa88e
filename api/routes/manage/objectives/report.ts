import { loadGoodAndTotal } from '../../../../analytics/objectives/good-and-totals.js';
import { findCounted, loadHours, loadWorst } from '../../../../analytics/objectives/spending.js';
import { monitorSeriesLimits } from '../../../../contract/manage/monitor-checks.js';
import {
  burnWindowMinutes,
  type ObjectiveReport,
  presentMinutes,
} from '../../../../contract/manage/objective-report.js';
import { objectiveLimits, type RequestsSli } from '../../../../contract/manage/objectives.js';
import { listDeployments } from '../../../../control/deployments/index.js';
import { listManagedIncidents } from '../../../../control/incidents/index.js';
import {
  budgetEnd,
  budgetOf,
  burnDownOf,
  burnRate,
  type CountedStep,
  compliancePercent,
  findWorst,
  type GoodAndTotal,
  isMet,
  type Objective,
  shareOf,
  underMsUsed,
  type WindowPeriod,
  windowAt,
} from '../../../../control/objectives/index.js';
import { loadPageById } from '../../../../control/pages/index.js';
import { normalizeService } from '../../../../lib/event-fields.js';
import type { MonitorId } from '../../../../lib/ids.js';
import { type Kept, keptAt, noteKept } from '../../../../lib/kept.js';
import { hourMs, minuteMs, secondMs } from '../../../../lib/times.js';
import { readObserved, readObservedSteps } from '../../../../rollups/series/read-observed.js';
import type { ManageRoutesDeps } from '../deps.js';

type Deps = Pick<ManageRoutesDeps, 'sql' | 'clickhouse' | 'clock' | 'pageStores'>;

/** A minute counts when it is over for so long: reports in flight would make it look clean. */
const settleMs = 15 * secondMs;

/** The endpoints that spent most, and since when they are compared. */
type Worst = {
  from: number;
  endpoints: { service: string; endpoint: string; good: number; total: number }[];
};

/** Where the figures of an objective come from: requests, or the observed time of a monitor in milliseconds. */
type Source = {
  unit: 'requests' | 'minutes';
  findCounted(window: WindowPeriod): Promise<{ counted: WindowPeriod | undefined; kept: Kept }>;
  loadSteps(period: WindowPeriod): Promise<CountedStep[]>;
  loadPeriods(periods: readonly WindowPeriod[]): Promise<GoodAndTotal[]>;
  loadWorst(period: WindowPeriod): Promise<Worst>;
};

/**
 * Loads how an objective does in the window at a time, in milliseconds since the epoch; now when it is not given.
 *
 * @throws ServiceError `notFound` when the page is gone, and what reads of events throw.
 */
export async function loadReport(
  deps: Deps,
  objective: Objective,
  at: number | undefined,
): Promise<ObjectiveReport> {
  const now = deps.clock.now();
  const { timeZone } = await loadPageById(deps.sql, objective.pageId);
  const settled = Math.floor((now - settleMs) / minuteMs) * minuteMs;
  const window = findWindow(objective, { at, settled, timeZone });
  const isCurrent = 'days' in objective.window ? at === undefined : now < window.to;
  const source = sourceOf(deps, objective, now);
  const until = Math.min(window.to, settled);
  const { counted, kept } = await source.findCounted({ from: window.from, to: Math.max(window.from, until) });
  const burnPeriods = isCurrent
    ? burnWindowMinutes.map((minutes) => ({ from: settled - minutes * minuteMs, to: settled }))
    : [];
  const [steps, burned, worst, marks] = await Promise.all([
    counted === undefined ? [] : source.loadSteps(counted),
    burnPeriods.length === 0 ? [] : source.loadPeriods(burnPeriods),
    counted === undefined ? undefined : source.loadWorst(counted),
    loadMarks(deps, objective, { from: window.from, to: Math.min(window.to, now) }),
  ]);
  const figures = describe(
    objective,
    { window, isCurrent, counted, steps, burned, worst, now, timeZone },
    source,
  );
  const { keptFrom, notKept } = noteKept(window.from, kept);
  return {
    ...{ slug: objective.slug, unit: source.unit, target: objective.target },
    underMsUsed: underMsUsed(objective.sli),
    window: { ...isoPeriod(window), isCurrent },
    counted: counted === undefined ? null : isoPeriod(counted),
    ...{ keptFrom, notKept: notKept === null ? null : kept.why },
    ...figures,
    ...marks,
  };
}

/** Days up to a time end with a whole minute. */
function findWindow(
  { window }: Objective,
  { at, settled, timeZone }: { at: number | undefined; settled: number; timeZone: string },
): WindowPeriod {
  const end = at === undefined ? settled : Math.min(Math.floor(at / minuteMs) * minuteMs, settled);
  return windowAt(window, 'days' in window ? end : (at ?? settled), timeZone);
}

function sourceOf(deps: Deps, objective: Objective, now: number): Source {
  const { sli, pageId, monitorId } = objective;
  if ('requests' in sli) return requestsSource(deps, { pageId, sli: sli.requests }, now);
  if (monitorId === null) throw new Error('An objective of a monitor has its id.');
  return monitorSource(deps, { pageId, monitorId }, now);
}

function requestsSource(
  { pageStores }: Deps,
  scope: { pageId: Objective['pageId']; sli: RequestsSli },
  now: number,
): Source {
  const clickhouse = pageStores.clickhouseOf(scope.pageId);
  return {
    unit: 'requests',
    findCounted: (window) => findCounted({ clickhouse }, scope.sli, window, now),
    loadSteps: (period) => loadHours({ clickhouse }, scope, period, now),
    loadPeriods: (periods) => loadGoodAndTotal(clickhouse, scope.pageId, scope.sli, periods),
    loadWorst: (period) => loadWorst({ clickhouse }, scope, { period, limit: objectiveLimits.worst, now }),
  };
}

function monitorSource(
  deps: Deps,
  monitor: { pageId: Objective['pageId']; monitorId: MonitorId },
  now: number,
): Source {
  const kept = keptAt(now, monitorSeriesLimits.days, hourMs);
  return {
    unit: 'minutes',
    async findCounted({ from, to }) {
      const counted = { from: Math.max(from, kept.from), to };
      return { counted: counted.from < counted.to ? counted : undefined, kept };
    },
    loadSteps: (period) => readObservedSteps(deps, monitor, { period, now }),
    async loadPeriods(periods) {
      const [found = []] = await readObserved(deps, [monitor], { periods, now });
      return found;
    },
    loadWorst: async ({ from }) => ({ from, endpoints: [] }),
  };
}

type Loaded = {
  window: WindowPeriod;
  isCurrent: boolean;
  counted: WindowPeriod | undefined;
  steps: readonly CountedStep[];
  burned: readonly GoodAndTotal[];
  worst: Worst | undefined;
  now: number;
  timeZone: string;
};

function describe(
  { target, window: kind }: Objective,
  { window, isCurrent, counted, steps, burned, worst, now, timeZone }: Loaded,
  { unit }: Source,
) {
  const amount = (value: number) => (unit === 'requests' ? value : value / minuteMs);
  const sum = addUp(steps);
  const isAhead = unit === 'minutes' && 'calendar' in kind;
  const ahead = isAhead && isCurrent && counted !== undefined ? window.to - counted.to : 0;
  const budget = budgetOf(sum, target, ahead);
  const recent = burned[burnWindowMinutes.indexOf(presentMinutes)];
  const present = { ms: presentMinutes * minuteMs, now, isAhead, budget };
  const windowEnd = 'calendar' in kind ? { windowEnd: window.to } : {};
  const endsAt =
    recent === undefined || budget.leftPercent === null
      ? null
      : budgetEnd({ ...present, ...windowEnd, recent }, target);
  const amounts = ({ good, total }: GoodAndTotal) => ({ good: amount(good), total: amount(total) });
  const period = counted ?? { from: window.from, to: window.from };
  const spending = findWorst(steps, period, { timeZone, budget, limit: objectiveLimits.worst });
  const line = burnDownOf(steps, period, budget);
  return {
    ...amounts(sum),
    compliance: compliancePercent(sum),
    isMet: isMet(sum, target),
    budget: {
      total: amount(budget.total),
      spent: amount(budget.spent),
      left: amount(budget.left),
      leftPercent: budget.leftPercent,
    },
    burnRates: burned.map((counts, i) => ({
      ...{ minutes: burnWindowMinutes[i] ?? 0, ...amounts(counts), rate: burnRate(counts, target) },
    })),
    endsAt: endsAt === null ? null : iso(endsAt),
    worst: {
      unit: spending.unit,
      items: spending.items.map(({ spent, share, ...one }) => ({
        ...isoPeriod(one),
        spent: amount(spent),
        share,
      })),
    },
    endpoints: {
      from: worst === undefined || worst.from <= period.from ? null : iso(worst.from),
      items: (worst?.endpoints ?? []).map(({ service, endpoint, good, total }) => ({
        ...{ service, endpoint, total, spent: total - good, share: shareOf(total - good, budget) },
      })),
    },
    burnDown: {
      step: line.stepMs / secondMs,
      points: line.points.map(({ at, leftPercent, ...counts }) => ({
        ...{ at: iso(at), ...amounts(counts), leftPercent },
      })),
    },
  };
}

/** Incidents of the page, or of the monitor; deployments of the service where the objective names one. */
async function loadMarks(deps: Deps, { pageId, sli }: Objective, { from, to }: WindowPeriod) {
  const limit = objectiveLimits.marks;
  const service =
    'requests' in sli && sli.requests.service !== undefined
      ? (normalizeService(sli.requests.service) ?? sli.requests.service)
      : undefined;
  const [incidents, deployments] = await Promise.all([
    listManagedIncidents(deps, { pageId, from: new Date(from), to: new Date(to), limit }),
    'monitor' in sli ? [] : listDeployments(deps, { pageId, from, to, service }, { limit }),
  ]);
  return {
    incidents: incidents
      .filter(({ monitorSlugs }) => !('monitor' in sli) || monitorSlugs.includes(sli.monitor.slug))
      .map(({ id, type, title, startedAt, resolvedAt }) => ({ id, type, title, startedAt, resolvedAt })),
    deployments: deployments.map(({ id, service, version, environment, at }) => ({
      ...{ id, service, version, environment: environment || null, at: at.toISOString() },
    })),
  };
}

function addUp(steps: readonly GoodAndTotal[]): GoodAndTotal {
  const sum = { good: 0, total: 0 };
  for (const { good, total } of steps) {
    sum.good += good;
    sum.total += total;
  }
  return sum;
}

const iso = (time: number): string => new Date(time).toISOString();

function isoPeriod({ from, to }: WindowPeriod): { from: string; to: string } {
  return { from: iso(from), to: iso(to) };
}
