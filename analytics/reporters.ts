import type { Static } from 'typebox';
import { analyticsLimits } from '../contract/analytics/limits.js';
import {
  type ReporterHealth,
  type ReportersAnswer,
  reporterStates,
} from '../contract/analytics/reporters.js';
import type { Clock } from '../lib/clock.js';
import { groupBy } from '../lib/group-by.js';
import type { PageId } from '../lib/ids.js';
import { parseInteger, parseParameters, type QueryParameters } from '../lib/query-parameters.js';
import { hourMs } from '../lib/times.js';
import type { Sql } from '../sql/open-postgres.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { loadInSlices } from '../sql/slice-names.js';
import { joinInstances, judgeReporting, type Rhythm, stateByAge, usualGapSeconds } from './judge-reporter.js';
import {
  addOlderReports,
  type Kind,
  keyOf,
  loadReports,
  loadRhythms,
  nameOf,
  type ReportRow,
  type SourceKey,
  source,
  sourcesMax,
} from './last-reports.js';

type ReportersQuery = { windowSeconds: number };
type Deps = { clickhouse: EventReader; sql: Sql; clock: Clock };

/** @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseReportersQuery(query: QueryParameters): ReportersQuery {
  const { window = `${analyticsLimits.windowSecondsDefault}` } = parseParameters(query, ['window']);
  const { windowSecondsMin, windowSecondsMax } = analyticsLimits;
  return { windowSeconds: parseInteger('window', window, windowSecondsMin, windowSecondsMax) };
}

type KnownSource = SourceKey & {
  name: string | null;
  region: string | null;
  team: string | null;
  service: string | null;
  expectedEverySeconds: number | null;
  firstSeenAt: Date;
  stoppedAt: Date | null;
  forgottenAt: Date | null;
};

const TrafficRow = Row({ ...source, requests: columns.count, errors: columns.count });
type TrafficRow = Static<typeof TrafficRow>;
const trafficRow = rowType(TrafficRow);

/**
 * Loads the health of every service and reporter that the page knows, or that reported within the last hour, the worst
 * first. Requests and errors are counted over the last `windowSeconds`; the last report may be older.
 */
export async function loadReporters(
  deps: Deps,
  pageId: PageId,
  query: ReportersQuery,
): Promise<ReportersAnswer> {
  const found = await loadReportersOf(deps, [pageId], query);
  return { window: query.windowSeconds, reporters: found.get(pageId) ?? [] };
}

/** Loads what loadReporters() does for several pages that share a store, with as many reads as for one. */
export async function loadReportersOf(
  deps: Deps,
  pageIds: readonly PageId[],
  { windowSeconds }: ReportersQuery,
): Promise<ReadonlyMap<PageId, ReporterHealth[]>> {
  const now = deps.clock.now();
  const [traffic, recent] = await Promise.all([
    loadTraffic(deps.clickhouse, pageIds, Math.floor(now / 1000) - windowSeconds),
    loadReports(deps.clickhouse, pageIds, now - hourMs),
  ]);
  // A page's own store that fails at once would otherwise leave queries behind, faster than PostgreSQL answers them.
  const known = await loadKnown(deps.sql, pageIds);
  const reports = await addOlderReports(deps.clickhouse, pageIds, { recent, known, now });
  const promising = new Set(known.flatMap((one) => (one.expectedEverySeconds === null ? [] : [keyOf(one)])));
  const rhythms = await loadRhythms(deps.clickhouse, pageIds, { reports, promising, now });
  const byPage = { known: ofPages(known), reports: ofPages(reports), traffic: ofPages(traffic) };
  return new Map(
    pageIds.map((pageId) => {
      const of = <One>(pages: ReadonlyMap<PageId, One[]>) => pages.get(pageId) ?? [];
      const found = { known: of(byPage.known), reports: of(byPage.reports), traffic: of(byPage.traffic) };
      return [pageId, judgeAll({ ...found, rhythms, now })];
    }),
  );
}

function ofPages<One extends SourceKey>(rows: readonly One[]): ReadonlyMap<PageId, One[]> {
  return groupBy(rows, ({ pageId }) => pageId);
}

type Found = {
  known: readonly KnownSource[];
  reports: readonly ReportRow[];
  traffic: readonly TrafficRow[];
  rhythms: ReadonlyMap<string, Rhythm>;
  now: number;
};

/** Judges the sources of a page, the worst first. */
function judgeAll({ known, reports, traffic, rhythms, now }: Found): ReporterHealth[] {
  const trafficOf = new Map(traffic.map((row) => [keyOf(row), row]));
  const reportOf = new Map(reports.map((row) => [keyOf(row), row]));
  const sources = new Map<string, SourceKey & Partial<KnownSource>>();
  for (const source of [...known, ...reports, ...traffic]) {
    if (!sources.has(keyOf(source))) sources.set(keyOf(source), source);
  }
  const calledFor = lastCallsFor(known, reportOf);
  const listed = [...sources].filter(([key, source]) => {
    const lastReportMs = Math.max(reportOf.get(key)?.lastReportMs ?? 0, calledFor.get(key) ?? 0);
    return !isForgotten(source, lastReportMs);
  });
  const reporters = listed.map(([key, source]) => {
    return judge(source, {
      ...{ traffic: trafficOf.get(key), report: reportOf.get(key), rhythm: rhythms.get(key), now },
    });
  });
  return joinInstances(reporters, now).sort(worstFirst);
}

/** Lists the pages of these that know a service or reporter. The others have nothing that could fall silent. */
export async function listPagesWithSources(sql: Sql, pageIds: readonly PageId[]): Promise<PageId[]> {
  const rows = await sql<{ id: PageId }[]>`
    select id from unnest(${[...pageIds]}::uuid[]) id where exists (select 1 from sources s where s.page_id = id)`;
  return rows.map(({ id }) => id);
}

async function loadKnown(sql: Sql, pageIds: readonly PageId[]): Promise<KnownSource[]> {
  return sql<KnownSource[]>`
    select page_id as "pageId", kind, source, name, region, team, service, expected_every_seconds as "expectedEverySeconds",
      first_seen_at as "firstSeenAt", stopped_at as "stoppedAt", forgotten_at as "forgottenAt"
    from sources where page_id = any (${[...pageIds]}::uuid[]) order by page_id, kind, source
    limit ${sourcesMax * pageIds.length}
  `;
}

async function loadTraffic(
  clickhouse: EventReader,
  pageIds: readonly PageId[],
  fromSeconds: number,
): Promise<TrafficRow[]> {
  return loadEventRows(clickhouse, trafficRow, {
    query: `SELECT toString(page_id) AS pageId, kind, service AS source, sum(requests) AS requests, sumIf(r.requests, status >= 500) AS errors
     FROM service_requests_minute AS r
     WHERE page_id IN {pages:Array(UUID)} AND minute >= toStartOfMinute(toDateTime({from:UInt32}, 'UTC'))
     GROUP BY page_id, kind, source ORDER BY page_id, kind, source LIMIT {limit:UInt32} BY page_id`,
    parameters: { pages: [...pageIds], from: fromSeconds, limit: sourcesMax },
    rowsMax: sourcesMax * pageIds.length,
  });
}

type Seen = {
  traffic: TrafficRow | undefined;
  report: ReportRow | undefined;
  rhythm: Rhythm | undefined;
  now: number;
};

function judge(
  source: SourceKey & Partial<KnownSource>,
  { traffic, report, rhythm, now }: Seen,
): ReporterHealth {
  const requests = traffic?.requests ?? 0;
  const errors = traffic?.errors ?? 0;
  const ageMs = report === undefined ? undefined : Math.max(0, now - report.lastReportMs);
  const promisedSeconds = source.expectedEverySeconds ?? undefined;
  const usualSeconds = source.kind === 'reporter' ? promisedSeconds : rhythm?.gapSeconds;
  return {
    id: source.source,
    name: source.name ?? source.source,
    kind: source.kind,
    state: errors > 0 ? 'failing' : stateByAge(ageMs, (usualSeconds ?? usualGapSeconds) * 1000),
    reporting: judgeReporting({
      ...{ ageMs, promisedSeconds, rhythm },
      hasStopped: hasStopped(source, report),
      lifeMs: now - Math.min(source.firstSeenAt?.getTime() ?? now, report?.lastReportMs ?? now),
    }),
    thin: requests < analyticsLimits.thinRequests,
    requests,
    errors,
    failureRate: requests === 0 ? null : errors / requests,
    lastReportAt: report === undefined ? null : new Date(report.lastReportMs).toISOString(),
    ageSeconds: ageMs === undefined ? null : Math.floor(ageMs / 1000),
    expectedEverySeconds: source.expectedEverySeconds ?? null,
    region: source.region ?? null,
    team: source.team ?? null,
    ...(source.service != null && { service: source.service }),
  };
}

/** A report that came later than the goodbye takes it back; the goodbye itself is a report of the same moment. */
function hasStopped({ stoppedAt }: Partial<KnownSource>, report: ReportRow | undefined): boolean {
  return stoppedAt != null && (report?.lastReportMs ?? 0) <= stoppedAt.getTime();
}

/** Returns when a reporter that names a service last called, by the key of the service. */
function lastCallsFor(
  known: readonly KnownSource[],
  reportOf: ReadonlyMap<string, ReportRow>,
): ReadonlyMap<string, number> {
  const lastCalls = new Map<string, number>();
  for (const one of known) {
    if (one.service === null) continue;
    const key = keyOf({ pageId: one.pageId, kind: 'service', source: one.service });
    lastCalls.set(key, Math.max(lastCalls.get(key) ?? 0, reportOf.get(keyOf(one))?.lastReportMs ?? 0));
  }
  return lastCalls;
}

/** Whether a person has removed it from the lists, and neither it nor a reporter that names it has reported since. */
function isForgotten({ forgottenAt }: Partial<KnownSource>, lastReportMs: number): boolean {
  return forgottenAt != null && lastReportMs <= forgottenAt.getTime();
}

/** Whether a service or reporter has reported after a moment; a service by a reporter that names it, too. */
export async function hasReportedSince(
  { clickhouse, sql }: { clickhouse: EventReader; sql: Sql },
  pageId: PageId,
  { kind, id }: { kind: Kind; id: string },
  at: Date,
): Promise<boolean> {
  const instances = kind === 'service' ? await listInstances(sql, pageId, id) : [];
  const callers = new Set([keyOf({ pageId, kind, source: id }), ...instances.map(keyOf)]);
  const names = new Set([nameOf({ pageId, source: id }), ...instances.map(nameOf)]);
  const load = (slice: readonly string[]) => loadReports(clickhouse, [pageId], at.getTime(), slice);
  for await (const rows of loadInSlices([...names], load)) {
    if (rows.some((one) => callers.has(keyOf(one)) && one.lastReportMs > at.getTime())) return true;
  }
  return false;
}

async function listInstances(sql: Sql, pageId: PageId, service: string): Promise<SourceKey[]> {
  return sql<SourceKey[]>`
    select page_id as "pageId", kind, source from sources
    where page_id = ${pageId} and kind = 'reporter' and service = ${service} limit ${sourcesMax}`;
}

function worstFirst(a: ReporterHealth, b: ReporterHealth): number {
  return (
    reporterStates.indexOf(a.state) - reporterStates.indexOf(b.state) ||
    b.errors - a.errors ||
    (b.ageSeconds ?? Infinity) - (a.ageSeconds ?? Infinity) ||
    (a.id < b.id ? -1 : 1)
  );
}
