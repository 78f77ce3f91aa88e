import type { ClickHouseClient } from '@clickhouse/client';
import type { PageSummary, ShownService } from '../../contract/public/status-page.js';
import type {
  KnownState,
  Service,
  Summary,
  SummaryInclude,
  UpptimeSummary,
} from '../../contract/public/summary.js';
import type { Clock } from '../../lib/clock.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { coverageOfUnchecked, describeCoverage, type Span } from './summary-coverage.js';
import { describeWindows, health, minutesDegraded, minutesDown, responseTimes } from './summary-figures.js';
import { loadPauses, loadSummaryPage, type SummaryMonitor, type SummaryPage } from './summary-monitors.js';
import { addUp, type DayPoint, loadSummaryPoints, type MonitorPoints, nothing } from './summary-points.js';

export type SummaryDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  /** Returns the address of a host name, such as `https://status.example.com`. */
  originOf(hostname: string): string;
};

const none: MonitorPoints = { day: nothing, week: nothing, month: nothing, year: nothing, days: [] };

/** The parts of one service of the summary. */
type Part = {
  deps: SummaryDeps;
  page: SummaryPage;
  monitor: SummaryMonitor;
  points: MonitorPoints;
  /** Days of the history that the page shows. */
  history: DayPoint[];
};

/** The parts of one page at one time. */
type PageParts = { pageId: PageId; now: number; page: SummaryPage; parts: Part[] };

/**
 * Loads the public summary of a page; `undefined` when the page is gone. Reads points from ClickHouse, all else from
 * PostgreSQL.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached; an error of the driver of PostgreSQL.
 */
export async function loadSummary(
  deps: SummaryDeps,
  pageId: PageId,
  include?: SummaryInclude,
): Promise<Summary | undefined> {
  const read = await loadParts(deps, pageId, deps.clock.now());
  return read && describeSummary(deps, read, include);
}

/** Uptime as a percentage and the average response time in milliseconds, as in the summary. */
export type WindowFigures = { uptime: string; timeMs: number };

/**
 * Loads what the views of a page show: its summary with coverage, what the summary of the contract has no field for, and
 * the figures of 90 days for each of its services, however many days the page shows. Returns `undefined` and throws as
 * loadSummary() does.
 */
export async function loadPageSummary(
  deps: SummaryDeps,
  pageId: PageId,
): Promise<{ summary: PageSummary; quarters: WindowFigures[] } | undefined> {
  const read = await loadParts(deps, pageId, deps.clock.now());
  if (read === undefined) return undefined;
  const quarters = read.parts.map(({ points }) => {
    const { uptime, time } = describeWindows(points, points.days);
    return { uptime, timeMs: time };
  });
  const summary = await describeSummary(deps, read, 'coverage');
  // The services come from the parts, in their order.
  const services = summary.services.flatMap((service, at) => {
    const part = read.parts[at];
    return part === undefined ? [] : [{ ...service, ...describeShown(part) }];
  });
  return { summary: { ...summary, services }, quarters };
}

function describeShown({ page, monitor, history }: Part): Omit<ShownService, keyof Service> {
  const { observedMs, upMs } = addUp(history);
  return {
    ...{ id: monitor.id, createdAt: monitor.createdAt.toISOString() },
    isManual: monitor.kind === 'manual',
    degradedSince: monitor.degradedSince?.toISOString() ?? null,
    dailyMinutesDegraded: minutesDegraded(history),
    observed: { observedMs, upMs },
    ...(monitor.description !== '' && {
      descriptions: inEachLanguage(page, monitor.description, monitor.descriptions),
    }),
    link: monitor.link,
  };
}

async function describeSummary(
  deps: SummaryDeps,
  { pageId, now, page, parts }: PageParts,
  include: SummaryInclude | undefined,
): Promise<Summary> {
  const withTimes = include === 'response-time' || include === 'response-time,coverage';
  const window = { from: historyFrom(page, now) * dayMs, to: now };
  const pausesOf =
    include === 'coverage' || include === 'response-time,coverage'
      ? await loadPauses(deps.sql, pageId, window)
      : undefined;
  return {
    slug: page.slug,
    lastChecked: lastOf(parts.map(({ monitor }) => monitor.lastCheckedAt)),
    monitoringPaused: page.monitoringPaused,
    services: parts.map((part) => ({
      ...describeService(part),
      ...(withTimes && { responseTime: describeResponseTime(part) }),
      ...(pausesOf && { coverage: coverageOf(part, window, pausesOf) }),
    })),
  };
}

/** Loads the services of a page in the form of Upptime's summary. Returns `undefined` and throws as loadSummary() does. */
export async function loadUpptimeSummary(
  deps: SummaryDeps,
  pageId: PageId,
): Promise<UpptimeSummary | undefined> {
  const read = await loadParts(deps, pageId, deps.clock.now());
  return read?.parts.map((part) => {
    const { names: _names, dailyHealth: _health, ...service } = describeService(part);
    // Without this field, widgets show the average of 0 ms.
    const isTimed = part.monitor.kind === 'http' || part.monitor.kind === 'tcp';
    return { ...service, ...(!isTimed && { showAverageResponseTime: false }) };
  });
}

async function loadParts(deps: SummaryDeps, pageId: PageId, now: number): Promise<PageParts | undefined> {
  const [read, points] = await Promise.all([
    loadSummaryPage(deps.sql, pageId),
    loadSummaryPoints(deps, pageId, now),
  ]);
  if (read === undefined) return undefined;
  const from = historyFrom(read.page, now);
  const parts = read.monitors.map((monitor) => {
    const own = points.get(monitor.id) ?? none;
    const history = own.days.filter(({ day }) => day >= from);
    return { deps, page: read.page, monitor, points: own, history };
  });
  return { pageId, now, page: read.page, parts };
}

/** Returns the first day of the history that a page shows, in days since 1970-01-01. Its last day is today. */
function historyFrom({ historyDays }: SummaryPage, now: number): number {
  return Math.floor(now / dayMs) - historyDays + 1;
}

function lastOf(times: readonly (Date | null)[]): string | null {
  const last = Math.max(...times.map((time) => time?.getTime() ?? Number.NEGATIVE_INFINITY));
  return Number.isFinite(last) ? new Date(last).toISOString() : null;
}

function describeService({ deps, page, monitor, points, history }: Part): Service {
  return {
    name: monitor.name,
    names: inEachLanguage(page, monitor.name, monitor.names),
    url: '',
    icon: monitor.iconUrl ?? `${deps.originOf(page.hostname)}/favicon.svg`,
    slug: monitor.slug,
    status: statusOf(monitor),
    ...describeWindows(points, history),
    dailyMinutesDown: minutesDown(history),
    dailyHealth: health(history),
  };
}

/** While the state is not known, every check so far has failed. A service without a check has no failure either. */
function statusOf({ state, lastCheckedAt }: SummaryMonitor): Service['status'] {
  return state ?? (lastCheckedAt === null ? 'up' : 'down');
}

function knownStateOf({ kind, state, lastPingAt }: SummaryMonitor): KnownState {
  return state ?? (kind === 'heartbeat' && lastPingAt === null ? 'waiting' : 'unknown');
}

/** Returns a text in each language of a page, or in the default language where a translation is missing. */
function inEachLanguage(
  { languages, defaultLanguage }: SummaryPage,
  text: string,
  others: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    languages.map((language) => [language, language === defaultLanguage ? text : (others[language] ?? text)]),
  );
}

function describeResponseTime({ page, monitor, history }: Part): NonNullable<Service['responseTime']> {
  const published =
    monitor.kind === 'heartbeat' ? [] : history.filter(({ day }) => day >= page.responseTimesSince);
  return { windowDays: page.historyDays, ...responseTimes(published) };
}

function coverageOf(
  { page, monitor, history }: Part,
  window: Span,
  pausesOf: (monitor: MonitorId) => Span[],
): NonNullable<Service['coverage']> {
  const begin = { windowFrom: window.from, createdAt: monitor.createdAt.getTime() };
  if (monitor.kind === 'manual') return coverageOfUnchecked(begin);
  return describeCoverage({
    ...begin,
    now: window.to,
    everySeconds: monitor.everySeconds,
    lastCheckedAt: monitor.lastCheckedAt?.getTime() ?? null,
    state: knownStateOf(monitor),
    stateSince: monitor.stateSince?.getTime() ?? null,
    paused: monitor.paused || page.monitoringPaused,
    pauses: pausesOf(monitor.id),
    days: history,
  });
}
