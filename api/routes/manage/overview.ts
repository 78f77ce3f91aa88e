import { isIP } from 'node:net';
import Type from 'typebox';
import { loadReporters } from '../../../analytics/reporters.js';
import { analyticsLimits } from '../../../contract/analytics/limits.js';
import type { Reporting } from '../../../contract/analytics/reporters.js';
import { OverviewAnswer, type OverviewMonitor, overviewLimits } from '../../../contract/manage/overview.js';
import { countAlerts, listAlerts, toOpenAlert } from '../../../control/alerts/index.js';
import { listAuditEntries } from '../../../control/audit/index.js';
import { hasChannel } from '../../../control/channels/index.js';
import { hasConfirmedWay } from '../../../control/contact-ways/index.js';
import { loadIncidentNews, loadStandingIncidents } from '../../../control/incidents/index.js';
import { hasIngestKey } from '../../../control/keys/index.js';
import { listMonitorStandings, type MonitorStanding } from '../../../control/monitors/index.js';
import { loadPageById, type Page } from '../../../control/pages/index.js';
import { hasPolicy } from '../../../control/policies/index.js';
import { loadMailStanding } from '../../../control/subscribers/index.js';
import { countWaitingDeliveries } from '../../../control/webhooks/index.js';
import { loadBacklog } from '../../../ingest/buffer/backlog.js';
import { hasReceivedEvents } from '../../../ingest/names/has-events.js';
import { loadUnread } from '../../../ingest/rejections/load-rejections.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import { createLimiter } from '../../../lib/limiter.js';
import { ServiceError, storeUnavailable } from '../../../lib/service-error.js';
import { withTimeout } from '../../../lib/timeout.js';
import { hourMs } from '../../../lib/times.js';
import {
  type LastHours,
  noHours,
  readLastHours,
  runningHour,
} from '../../../rollups/series/read-last-hours.js';
import { hangUpSignal } from '../../hang-up.js';
import { answerResource } from '../../manage/answers.js';
import type { ManagedPage } from '../../manage/caller.js';
import { manageRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** Reads that run at once and wait, of one page. */
const readBounds = { max: 8, maxPerKey: 2, waitingMaxPerKey: 30 };
const periodMs = overviewLimits.hours * hourMs;

/** How a page does, at a glance. */
export function manageOverviewRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const shared = createLimiter<PageId>(readBounds);
  // A tenant's server that hangs holds turns for 8 s. Pages that use the shared stores need turns of their own.
  const own = createLimiter<PageId>(readBounds);
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/overview',
      operationId: 'getOverview',
      summary: 'How a page does, at a glance',
      permission: 'telemetry.read',
      answers: { 200: OverviewAnswer, 304: Type.Null() },
      errors: ['rateLimited'],
      async manage({ ctx, page }) {
        const turns = deps.pageStores.isOwn(page.id) ? own : shared;
        const release = await turns.take(page.id, hangUpSignal(ctx.res));
        if (release === undefined) {
          const message = `${readBounds.maxPerKey} overviews of this page are read and ${readBounds.waitingMaxPerKey} wait; retry later.`;
          throw new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
        }
        try {
          answerResource(ctx, { body: await loadOverview(deps, page) });
        } finally {
          release();
        }
      },
    }),
  ];
}

/**
 * All reads run at once: none needs what another one finds, except for the capability of the page. What comes from a
 * ClickHouse that does not answer is unknown; the rest of the overview stays. Returns or fails when all have ended or are
 * given up.
 */
async function loadOverview(deps: ManageRoutesDeps, page: ManagedPage): Promise<OverviewAnswer> {
  const { id } = page;
  const settings = loadPageById(deps.sql, id);
  const [
    set,
    ingestKey,
    event,
    unread,
    mail,
    webhooks,
    events,
    standings,
    hours,
    incidents,
    changes,
    alerts,
    told,
    reporters,
  ] = await whenAllEnd([
    settings,
    hasIngestKey(deps, id),
    hasReceivedEvents(deps, id),
    loadUnread(deps, id, deps.clock.now() - periodMs),
    loadMailStanding(deps, id),
    countWaitingDeliveries(deps, id),
    deps.pageStores.isOwn(id) ? loadBacklog(deps, id).then((backlog) => backlog.events) : 0,
    listMonitorStandings(deps, id),
    withinPatience(readLastHours(deps, id, overviewLimits.hours)).catch(noHoursOf),
    loadStandingIncidents(deps, id),
    loadChanges(deps, page),
    loadAlerts(deps, id),
    isAnybodyTold(deps, id),
    settings.then((found) => countReporters(deps, found)),
  ]);
  const ofType = (type: string) => incidents.filter((one) => one.type === type);
  return {
    unfinishedFrom: runningHour(deps.clock.now()),
    checklist: {
      ...{ monitor: standings.length > 0, ingestKey, event, told, subscriber: mail.hasSubscriber },
      host: isOwnHost(set.hostname, deps.baseUrl()),
    },
    unread: unread === undefined ? null : { at: unread.at.toISOString(), message: unread.message },
    alerts,
    monitors: worstFirst(standings, hours),
    incidents: ofType('incident').map(({ title, status, startedAt, ...one }) => ({
      ...{ id: one.id, title, state: status, startedAt: startedAt.toISOString() },
    })),
    maintenance: ofType('maintenance')
      .reverse()
      .map(({ title, startedAt, scheduledEndAt, ...one }) => ({
        ...{ id: one.id, title, startsAt: startedAt.toISOString() },
        endsAt: scheduledEndAt?.toISOString() ?? null,
      })),
    ...reporters,
    backlog: { emails: mail.waiting, webhooks, events },
    changes,
  };
}

/** Alerts that fire, and behind them those that somebody looks after. */
async function loadAlerts(deps: ManageRoutesDeps, pageId: PageId): Promise<OverviewAnswer['alerts']> {
  const list = (state: 'firing' | 'acknowledged') =>
    listAlerts(deps, { pageId, state, order: 'worst', limit: overviewLimits.alerts, after: undefined });
  const [firing, acknowledged, counts] = await whenAllEnd([
    list('firing'),
    list('acknowledged'),
    countAlerts(deps, { pageId, now: deps.clock.now() }),
  ]);
  const items = [...firing, ...acknowledged].slice(0, overviewLimits.alerts).map(toOpenAlert);
  return { items, count: counts.firing + counts.acknowledged };
}

/** A policy tells nobody whose ways are not confirmed. */
async function isAnybodyTold(deps: ManageRoutesDeps, pageId: PageId): Promise<boolean> {
  const [channel, policy, way] = await whenAllEnd([
    hasChannel(deps, pageId),
    hasPolicy(deps, pageId),
    hasConfirmedWay(deps, pageId),
  ]);
  return channel || (policy && way);
}

/** Like `Promise.all`, but a failure waits for the end of the others. */
async function whenAllEnd<const Reads extends readonly unknown[]>(
  reads: Reads,
): Promise<{ -readonly [At in keyof Reads]: Awaited<Reads[At]> }> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

/**
 * The client waits 8 s for a ClickHouse that hangs, and the whole request has 8.5 s: reads of PostgreSQL that come first
 * take 2 s and more on a busy machine. A read that is given up ends within those 8 s, so a page has at most twice as many
 * as it has turns.
 *
 * @throws ServiceError `storeUnavailable` after 5 s.
 */
function withinPatience<T>(read: Promise<T>): Promise<T> {
  return withTimeout(read, 5_000, { error: () => storeUnavailable() });
}

/** @throws `error` unless a store has failed */
function noHoursOf(error: unknown): ReadonlyMap<MonitorId, LastHours> {
  if (!isOfStore(error)) throw error;
  return new Map();
}

function isOfStore(error: unknown): boolean {
  return error instanceof ServiceError && ['storeUnavailable', 'sqlTooExpensive'].includes(error.kind);
}

/** The host name of a page that people outside know: neither a local one nor one of the service. */
function isOwnHost(hostname: string, baseUrl: string): boolean {
  const service = new URL(baseUrl).hostname;
  return (
    !/(?:^|\.)localhost$/.test(hostname) &&
    isIP(hostname) === 0 &&
    hostname !== service &&
    !hostname.endsWith(`.${service}`)
  );
}

const unobserved = noHours(overviewLimits.hours);

/** Down first, then slow, then by their uptime; those that nobody checks come last. Those that are alike stay in the order of the page. */
function worstFirst(
  standings: readonly MonitorStanding[],
  hours: ReadonlyMap<string, LastHours>,
): OverviewMonitor[] {
  const rankOf = ({ type, paused, state, degradedSince }: OverviewMonitor) => {
    if (paused || type === 'manual') return 4;
    return { down: 0, none: 2, up: degradedSince === null ? 3 : 1 }[state ?? 'none'];
  };
  return standings
    .map(({ id, slug, name, kind, state, stateSince, degradedSince, lastPingAt, isPaused }) => {
      const { uptime, averageMs, bars } = hours.get(id) ?? unobserved;
      return {
        ...{ slug, name, type: kind, state, paused: isPaused },
        stateSince: stateSince?.toISOString() ?? null,
        degradedSince: degradedSince?.toISOString() ?? null,
        lastPingAt: lastPingAt?.toISOString() ?? null,
        ...{ uptime24h: uptime, responseMs: averageMs, bars },
      };
    })
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.uptime24h ?? 100) - (b.uptime24h ?? 100))
    .slice(0, overviewLimits.monitors);
}

/** Changes that the caller may know of: changes of incidents are public in any case. */
async function loadChanges(deps: ManageRoutesDeps, { id, permissions }: ManagedPage) {
  const from = deps.clock.now() - periodMs;
  const limit = overviewLimits.changes;
  if (permissions.has('audit.read')) {
    const entries = await listAuditEntries(deps, { pageId: id, from }, { limit });
    return entries.map(({ at, actor, action, target }) => ({
      ...{ at: at.toISOString(), actor: actor.name, action, subject: target.name },
      actorType: actor.type,
      ...(actor.personName !== undefined && { actorPersonName: actor.personName }),
      ...(target.personName !== undefined && { subjectPersonName: target.personName }),
    }));
  }
  const news = await loadIncidentNews(deps, id, { since: new Date(from), limit });
  return news.map(({ at, actorType, actorPersonName, ...one }) => ({
    ...{ at: at.toISOString(), ...one },
    ...(actorType !== null && { actorType }),
    ...(actorPersonName !== null && { actorPersonName }),
  }));
}

/** A store that fails leaves the rest of the overview as it is. */
async function countReporters(deps: ManageRoutesDeps, { id, capabilities }: Page) {
  const unknown = { silentReporters: null, failingReporters: null, lateReporters: null };
  if (!capabilities.includes('internal-analytics')) return unknown;
  const { pageStores } = deps;
  const query = { windowSeconds: analyticsLimits.windowSecondsDefault };
  const clickhouse = pageStores.clickhouseOf(id);
  const read = withinPatience(loadReporters({ ...deps, clickhouse }, id, query));
  const answer = await read.catch((error: unknown) => {
    if (pageStores.isOwn(id) || isOfStore(error)) return undefined;
    throw error;
  });
  if (answer === undefined) return unknown;
  const { reporters } = answer;
  // A service is silent when its reporters are, which are in the list themselves.
  const count = (reporting: Reporting) =>
    reporters.filter((one) => one.reporting === reporting && one.instances === undefined).length;
  return {
    silentReporters: count('silent'),
    failingReporters: reporters.filter(({ errors }) => errors > 0).length,
    lateReporters: count('late'),
  };
}
