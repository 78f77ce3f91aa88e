import type { ClickHouseClient } from '@clickhouse/client';
import type { Service, Summary, SummaryInclude, UpptimeSummary } from '../../contract/summary.js';
import type { Clock } from '../../lib/clock.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { describeCoverage, type Span } from './summary-coverage.js';
import { describeWindows, health, minutesDown, responseTimes } from './summary-figures.js';
import { readPauses, readSummaryPage, type SummaryMonitor, type SummaryPage } from './summary-monitors.js';
import { type DayPoint, type MonitorPoints, nothing, readSummaryPoints } from './summary-points.js';

export type SummaryDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  /** Where the page of a host name is reached, such as `https://status.example.com`. */
  originOf(hostname: string): string;
};

const dayMs = 86_400_000;
const none: MonitorPoints = { day: nothing, week: nothing, month: nothing, year: nothing, days: [] };

/** What a service of the summary is made of. */
type Part = {
  deps: SummaryDeps;
  page: SummaryPage;
  monitor: SummaryMonitor;
  points: MonitorPoints;
  /** Days of the history that the page shows. */
  history: DayPoint[];
};

/** Of one page at one time. */
type PageParts = { pageId: PageId; now: number; page: SummaryPage; parts: Part[] };

/**
 * The public summary of a page, undefined when it is gone. Points are read from ClickHouse, all else from PostgreSQL.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached; an error of the driver of PostgreSQL.
 */
export async function readSummary(
  deps: SummaryDeps,
  pageId: PageId,
  include?: SummaryInclude,
): Promise<Summary | undefined> {
  const read = await readParts(deps, pageId, deps.clock.now());
  return read && describeSummary(deps, read, include);
}

/** Uptime as a percentage, and the average response time in milliseconds, as the summary has them. */
export type WindowFigures = { uptime: string; timeMs: number };

/**
 * The summary with coverage, and of each of its services the figures of 90 days, however many of them the page shows;
 * undefined and errors as of `readSummary`.
 */
export async function readSummaryWithQuarters(
  deps: SummaryDeps,
  pageId: PageId,
): Promise<{ summary: Summary; quarters: WindowFigures[] } | undefined> {
  const read = await readParts(deps, pageId, deps.clock.now());
  if (read === undefined) return undefined;
  const quarters = read.parts.map(({ points }) => {
    const { uptime, time } = describeWindows(points, points.days);
    return { uptime, timeMs: time };
  });
  return { summary: await describeSummary(deps, read, 'coverage'), quarters };
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
      ? await readPauses(deps.sql, pageId, window)
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

/** The services of a page in the form of Upptime's summary; undefined and errors as of `readSummary`. */
export async function readUpptimeSummary(
  deps: SummaryDeps,
  pageId: PageId,
): Promise<UpptimeSummary | undefined> {
  const read = await readParts(deps, pageId, deps.clock.now());
  return read?.parts.map((part) => {
    const { names: _names, dailyHealth: _health, ...service } = describeService(part);
    return service;
  });
}

async function readParts(deps: SummaryDeps, pageId: PageId, now: number): Promise<PageParts | undefined> {
  const [read, points] = await Promise.all([
    readSummaryPage(deps.sql, pageId),
    readSummaryPoints(deps, pageId, now),
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

/** First day of the history that a page shows, in days since 1970-01-01; today is its last. */
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
    names: namesOf(page, monitor),
    url: '',
    icon: monitor.iconUrl ?? `${deps.originOf(page.hostname)}/favicon.svg`,
    slug: monitor.slug,
    status: monitor.state ?? 'up',
    ...describeWindows(points, history),
    dailyMinutesDown: minutesDown(history),
    dailyHealth: health(history),
  };
}

function namesOf({ languages, defaultLanguage }: SummaryPage, { name, names }: SummaryMonitor) {
  return Object.fromEntries(
    languages.map((language) => [language, language === defaultLanguage ? name : (names[language] ?? name)]),
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
  return describeCoverage({
    now: window.to,
    windowFrom: window.from,
    createdAt: monitor.createdAt.getTime(),
    everySeconds: monitor.everySeconds,
    lastCheckedAt: monitor.lastCheckedAt?.getTime() ?? null,
    paused: monitor.paused || page.monitoringPaused,
    pauses: pausesOf(monitor.id),
    days: history,
  });
}
