import type { Test } from 'tap';
import type { CreatePageInput, Page, PageChanges } from '../../control/pages/index.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { outage, postUpdate } from './incidents.js';
import { type MovingClock, makeMovingClock } from './moving-clock.js';
import { makeKey, makePage, setPage } from './pages.js';
import { insertDays, insertHours, insertMonitor, type MonitorFields } from './points.js';
import { startTestService, type TestService, unansweredSmtp } from './service.js';

/** A status page with its own key: each key may send 60 requests a minute. */
export type StatusSite = {
  page: Page;
  /** Such as `http://acme.localhost:41234`. */
  origin: string;
  incidentKey: string;
};

/** The service, with a clock that the test moves. */
export type StatusService = { api: TestService; clock: MovingClock };

/** Longer than the tests of a file take, and longer ago than any of their incidents begins. */
const quarterMs = 900_000;

/** The clock is never this near to midnight, so that no day or month begins in the middle of a test. */
export async function startStatusService(
  t: Test,
  options: Parameters<typeof startTestService>[1] = {},
): Promise<StatusService> {
  const clock = makeMovingClock();
  if ((clock.now() + quarterMs) % dayMs < 2 * quarterMs) clock.advance(2 * quarterMs);
  return { api: await startTestService(t, { clock, smtpUrl: unansweredSmtp, ...options }), clock };
}

export async function makeStatusSite(
  { api, clock }: StatusService,
  slug: string,
  input: Partial<CreatePageInput> = {},
  looks: Omit<PageChanges, 'slug'> = {},
): Promise<StatusSite> {
  const { sql } = api.stores;
  await makePage(sql, { slug, ...input });
  // A page publishes response times from the day of its creation.
  await sql`update pages set response_times_since = '2020-01-01', created_at = '2026-01-01' where slug = ${slug}`;
  const page = await setPage({ sql, clock }, { slug, ...looks });
  const { key } = await makeKey({ sql, clock }, { slug, scope: 'incident' });
  const origin = api.url.replace('127.0.0.1', page.hostname);
  return { page, origin, incidentKey: key };
}

export type ServiceHistory = MonitorFields & {
  /** 90 when not given; 0 for a service that was never checked. */
  days?: number;
  /** Minutes down by days ago; every other day is perfect. */
  downMinutes?: Record<number, number>;
  /** Failed checks of days without downtime, by days ago. */
  failedChecks?: Record<number, number>;
  /** Days ago without a measurement. */
  gaps?: readonly number[];
  /** Hours ago without a measurement, among the last seven days. */
  hourGaps?: readonly number[];
};

/**
 * A service with a history up to today and response times of about a tenth of a second, by day, and for the last seven
 * days by hour.
 */
export async function addService(
  { api, clock }: StatusService,
  { page }: Pick<StatusSite, 'page'>,
  {
    days = 90,
    downMinutes = {},
    failedChecks = {},
    gaps = [],
    hourGaps = [],
    ...fields
  }: ServiceHistory = {},
): Promise<void> {
  const { sql, clickhouse } = api.stores;
  const now = clock.now();
  const monitorId = await insertMonitor(sql, page.id, {
    state: days > 0 ? 'up' : null,
    every_seconds: 3_600,
    created_at: new Date(now - days * dayMs),
    last_checked_at: days > 0 ? new Date(now) : null,
    ...fields,
  });
  const daysAgo = Array.from({ length: days }, (_, ago) => ago).filter((ago) => !gaps.includes(ago));
  const points = daysAgo.map((ago) => ({
    at: now - ago * dayMs,
    upMs: dayMs - (downMinutes[ago] ?? 0) * 60_000,
    checks: 1_440,
    failed: downMinutes[ago] ?? failedChecks[ago] ?? 0,
    times: timesOf(1_440, Math.round(100 + 30 * Math.sin(ago / 4))),
  }));
  if (points.length === 0) return;
  const owner = { pageId: page.id, monitorId };
  const hoursAgo = Array.from({ length: Math.min(days, 7) * 24 }, (_, ago) => ago);
  const hours = hoursAgo
    .filter((ago) => !hourGaps.includes(ago))
    .map((ago) => ({ at: now - ago * hourMs, times: timesOf(60, Math.round(100 + 30 * Math.sin(ago / 4))) }));
  await insertDays(clickhouse, owner, points);
  await insertHours(clickhouse, owner, hours);
}

/** One in ten is twice as long as the others, and the average is the given one. */
function timesOf(count: number, averageMs: number): number[] {
  const usualMs = averageMs / 1.1;
  return Array.from({ length: count }, (_, i) => (i % 10 === 0 ? 2 * usualMs : usualMs));
}

/** Opens an incident that began ten minutes ago, and returns its id. */
export async function openSiteIncident(
  { api, clock }: StatusService,
  { incidentKey }: StatusSite,
  fields: object = {},
): Promise<string> {
  const startedAt = new Date(clock.now() - 600_000).toISOString();
  const answer = await api.post(
    '/api/v1/incidents',
    { ...outage, startedAt, ...fields },
    { key: incidentKey },
  );
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return (answer.body as { id: string }).id;
}

export async function postSiteUpdate(
  { api }: StatusService,
  { incidentKey }: StatusSite,
  id: string,
  update: { status: string; body: string },
): Promise<void> {
  const answer = await postUpdate(api, incidentKey, id, update);
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Plans maintenance between two times in hours from now, and returns its id. */
export function planMaintenance(
  deps: StatusService,
  site: StatusSite,
  {
    fromHours,
    toHours,
    ...fields
  }: { fromHours: number; toHours: number; title?: string; monitorSlugs?: readonly string[] },
): Promise<string> {
  const at = (hours: number) => new Date(deps.clock.now() + hours * 3_600_000).toISOString();
  return openSiteIncident(deps, site, {
    ...{ type: 'maintenance', title: 'New disks', summary: 'Short interruptions are possible.' },
    ...{ startedAt: at(fromHours), scheduledEndAt: at(toHours), ...fields },
  });
}
