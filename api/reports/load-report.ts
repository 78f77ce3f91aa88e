import { loadTop } from '../../analytics/figures/top-groups.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import {
  type IncidentOfReport,
  type ObjectiveOfReport,
  type Report,
  type ReportEvery,
  reportLimits,
  type ServiceOfReport,
} from '../../contract/manage/reports.js';
import { loadAlertFigures } from '../../control/alerts/index.js';
import { listManagedIncidents } from '../../control/incidents/index.js';
import { listMonitors, type Monitor } from '../../control/monitors/index.js';
import { compliancePercent, isMet, listObjectives, type Objective } from '../../control/objectives/index.js';
import type { Page } from '../../control/pages/index.js';
import { periodAt, periodBefore, type ReportPeriod } from '../../control/reports/index.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Counted, loadPeriods } from '../objectives/load-periods.js';

export type ReportDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  pageStores: Pick<PageStores, 'clickhouseOf'>;
};

/** A page as its reports need it. */
export type ReportedPage = Pick<Page, 'id' | 'slug' | 'name' | 'timeZone' | 'capabilities'>;

type Period = { from: number; to: number };
type Periods = { now: Period; previous: Period };

/**
 * Loads how a page did in the week or month that `at` is in, in milliseconds since the epoch, beside the one before. One that is
 * not over is compared with as much of the one before.
 *
 * @throws as loadTotals() and loadPeriods() do.
 */
export async function loadReport(
  deps: ReportDeps,
  page: ReportedPage,
  { every, at }: { every: ReportEvery; at: number },
): Promise<Report> {
  const now = deps.clock.now();
  const { timeZone } = page;
  const period = periodAt(at, { every, timeZone });
  const periods = comparedPeriods(period, periodBefore(at, { every, timeZone }), now);
  const [measured, incidents, alerts, traffic] = await Promise.all([
    loadMeasured(deps, page, periods),
    loadIncidents(deps, page, { ...periods.now, now }),
    loadAlerts(deps, page, periods),
    page.capabilities.includes('internal-analytics') ? loadTraffic(deps, page, periods) : noTraffic,
  ]);
  return {
    page: { slug: page.slug, name: page.name },
    ...{ every, timeZone, firstDay: period.firstDay, lastDay: period.lastDay, isOver: period.to <= now },
    ...isoPeriod(period),
    previous: isoPeriod(periods.previous),
    ...{ ...measured, incidents, alerts, ...traffic },
  };
}

function comparedPeriods(period: ReportPeriod, before: ReportPeriod, now: number): Periods {
  const to = Math.min(period.to, now);
  if (period.to <= now) return { now: period, previous: before };
  return {
    now: { from: period.from, to },
    previous: { from: before.from, to: Math.min(before.to, before.from + (to - period.from)) },
  };
}

async function loadMeasured(
  deps: ReportDeps,
  { id: pageId }: ReportedPage,
  { now, previous }: Periods,
): Promise<Pick<Report, 'services' | 'objectives'>> {
  const [monitors, objectives] = await Promise.all([
    listMonitors(deps, pageId),
    listObjectives(deps, { pageId }),
  ]);
  const measures = [
    ...monitors.map(({ id, slug }) => ({ pageId, sli: { monitor: { slug } }, monitorId: id })),
    ...objectives,
  ];
  const events = deps.pageStores.clickhouseOf(pageId, deps.clickhouse);
  const counted = await loadPeriods(
    { clickhouse: deps.clickhouse, events },
    measures,
    [now, previous],
    deps.clock.now(),
  );
  const ofObjectives = counted.slice(monitors.length);
  return {
    services: monitors.map((monitor, i) => describeService(monitor, counted[i] ?? [], objectives)),
    objectives: objectives.map((objective, i) => describeObjective(objective, ofObjectives[i] ?? [])),
  };
}

function describeService(
  { id, slug, name, hidden }: Monitor,
  [now = null, previous = null]: Counted[],
  objectives: readonly Objective[],
): ServiceOfReport {
  const own = objectives.filter(({ monitorId }) => monitorId === id);
  const strictest = own.toSorted((a, b) => b.target - a.target)[0];
  return {
    ...{ slug, name, isPublic: !hidden },
    ...{ uptime: percentOf(now), previousUptime: percentOf(previous) },
    downSeconds: now === null || now.total <= 0 ? null : Math.round((now.total - now.good) / secondMs),
    objective: strictest === undefined ? null : targetOf(strictest, now),
  };
}

function targetOf({ slug, target }: Objective, now: Counted): ServiceOfReport['objective'] {
  return { slug, target, isMet: now === null ? null : isMet(now, target) };
}

function describeObjective(
  { slug, name, target, sli, isPublic }: Objective,
  [now = null, previous = null]: Counted[],
): ObjectiveOfReport {
  const unit = 'requests' in sli ? 'requests' : 'minutes';
  const amount = (value: number) => (unit === 'requests' ? value : value / minuteMs);
  return {
    ...{ slug, name, isPublic, unit, target },
    good: now === null ? null : amount(now.good),
    total: now === null ? null : amount(now.total),
    ...{ compliance: percentOf(now), previousCompliance: percentOf(previous) },
    isMet: now === null ? null : isMet(now, target),
  };
}

const percentOf = (counted: Counted): number | null => (counted === null ? null : compliancePercent(counted));

async function loadIncidents(
  deps: ReportDeps,
  { id: pageId }: ReportedPage,
  { from, to, now }: Period & { now: number },
): Promise<IncidentOfReport[]> {
  const incidents = await listManagedIncidents(deps, {
    ...{ pageId, to: new Date(to), lastingAfter: new Date(from), limit: reportLimits.incidents },
  });
  return incidents.map(({ id, type, title, monitorSlugs, startedAt, resolvedAt }) => {
    const end = resolvedAt === null ? now : Date.parse(resolvedAt);
    const seconds = Math.round((end - Date.parse(startedAt)) / secondMs);
    return { id, type, title, monitorSlugs, startedAt, resolvedAt, seconds };
  });
}

async function loadAlerts(
  deps: ReportDeps,
  { id: pageId }: ReportedPage,
  periods: Periods,
): Promise<Report['alerts']> {
  const [now, previous] = await Promise.all([
    loadAlertFigures(deps, { pageId, ...periods.now }),
    loadAlertFigures(deps, { pageId, ...periods.previous }),
  ]);
  return { now, previous };
}

type Traffic = Pick<Report, 'requests' | 'endpoints'>;

const noTraffic: Traffic = { requests: null, endpoints: [] };

async function loadTraffic(
  { clickhouse, clock, pageStores }: ReportDeps,
  { id: pageId }: ReportedPage,
  periods: Periods,
): Promise<Traffic> {
  const reader = { clickhouse: pageStores.clickhouseOf(pageId, clickhouse) };
  const asked = { filters: {}, comparesPrevious: false };
  const worst = { by: 'endpoint', order: 'errors', limit: reportLimits.endpoints } as const;
  const totalsOf = (range: Period) => loadTotals(reader, pageId, { ...asked, range }, clock.now());
  const [now, previous, top] = await Promise.all([
    totalsOf(periods.now),
    totalsOf(periods.previous),
    loadTop(reader, pageId, { ...asked, ...worst, search: '', points: 0, range: periods.now }, clock.now()),
  ]);
  return {
    requests: { now: now.now, previous: previous.now, notKept: now.notKept },
    endpoints: top.rows
      .filter(({ now: { errors } }) => (errors ?? 0) > 0)
      .map(({ service, endpoint, now: { requests, errors, errorShare, p95Ms } }) => ({
        ...{ service: service ?? '', endpoint: endpoint ?? '', requests, errors, errorShare, p95Ms },
      })),
  };
}

function isoPeriod({ from, to }: Period): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
