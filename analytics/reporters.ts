import Type, { type Static } from 'typebox';
import { analyticsLimits } from '../contract/analytics/limits.js';
import {
  type ReporterHealth,
  type ReportersAnswer,
  reporterStates,
} from '../contract/analytics/reporters.js';
import { limits } from '../contract/limits.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { parseInteger, parseParameters, type QueryParameters } from '../lib/query-parameters.js';
import { dayMs, hourMs } from '../lib/times.js';
import type { Sql } from '../sql/open-postgres.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { loadInSlices } from '../sql/slice-names.js';
import { joinInstances } from './instances.js';
import {
  judgeReporting,
  lateFactor,
  type Rhythm,
  rhythmMinutesMin,
  stateByAge,
  usualGapSeconds,
} from './reporting.js';

export type ReportersQuery = { windowSeconds: number };

/** @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseReportersQuery(query: QueryParameters): ReportersQuery {
  const { window = `${analyticsLimits.windowSecondsDefault}` } = parseParameters(query, ['window']);
  const { windowSecondsMin, windowSecondsMax } = analyticsLimits;
  return { windowSeconds: parseInteger('window', window, windowSecondsMin, windowSecondsMax) };
}

type Kind = 'service' | 'reporter';
type SourceKey = { kind: Kind; source: string };
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
const source = { kind: columns.kind, source: columns.text };
const TrafficRow = Row({ ...source, requests: columns.count, errors: columns.count });
const ReportRow = Row({ ...source, lastReportMs: columns.timeMs });
const GapRow = Row({
  source: columns.text,
  medianGapSeconds: Type.Number({ minimum: 0 }),
  minutes: columns.count,
});
type TrafficRow = Static<typeof TrafficRow>;
type ReportRow = Static<typeof ReportRow>;
type GapRow = Static<typeof GapRow>;
const rowTypes = { traffic: rowType(TrafficRow), report: rowType(ReportRow), gap: rowType(GapRow) };

/** Some more than the limit of a page, which has a tolerance when several instances meet new sources at once. */
const sourcesMax = limits.sourcesPerPage + 200;
/**
 * Loads the health of every service and reporter that the page knows, or that reported within the last hour, the worst
 * first. Requests and errors are those of the last `windowSeconds`; the last report may be older.
 */
export async function loadReporters(
  deps: { clickhouse: EventReader; sql: Sql; clock: Clock },
  pageId: PageId,
  { windowSeconds }: ReportersQuery,
): Promise<ReportersAnswer> {
  const now = deps.clock.now();
  const [traffic, recent] = await Promise.all([
    loadTraffic(deps.clickhouse, pageId, Math.floor(now / 1000) - windowSeconds),
    loadReports(deps.clickhouse, pageId, now - hourMs),
  ]);
  // A page's own store that fails at once would otherwise leave queries behind, faster than PostgreSQL answers them.
  const known = await loadKnown(deps.sql, pageId);
  const reports = await addOlderReports(deps.clickhouse, pageId, { recent, known, now });
  const promising = new Set(known.flatMap((one) => (one.expectedEverySeconds === null ? [] : [keyOf(one)])));
  const rhythms = await loadRhythms(deps.clickhouse, pageId, { reports, promising, now });
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
  return { window: windowSeconds, reporters: joinInstances(reporters, now).sort(worstFirst) };
}

function keyOf({ kind, source }: SourceKey): string {
  return `${kind} ${source}`;
}

async function loadKnown(sql: Sql, pageId: PageId): Promise<KnownSource[]> {
  return sql<KnownSource[]>`
    select kind, source, name, region, team, service, expected_every_seconds as "expectedEverySeconds",
      first_seen_at as "firstSeenAt", stopped_at as "stoppedAt", forgotten_at as "forgottenAt"
    from sources where page_id = ${pageId} order by kind, source limit ${sourcesMax}
  `;
}

async function loadTraffic(
  clickhouse: EventReader,
  pageId: PageId,
  fromSeconds: number,
): Promise<TrafficRow[]> {
  return loadEventRows(clickhouse, rowTypes.traffic, {
    query: `SELECT kind, service AS source, sum(requests) AS requests, sumIf(r.requests, status >= 500) AS errors
     FROM service_requests_minute AS r
     WHERE page_id = {page:UUID} AND minute >= toStartOfMinute(toDateTime({from:UInt32}, 'UTC'))
     GROUP BY kind, source ORDER BY kind, source LIMIT {limit:UInt32}`,
    parameters: { page: pageId, from: fromSeconds, limit: sourcesMax },
    rowsMax: sourcesMax,
  });
}

/** Loads when each source last reported since `fromMs`; of all of them, or of those with one of the names. */
async function loadReports(
  clickhouse: EventReader,
  pageId: PageId,
  fromMs: number,
  names?: readonly string[],
): Promise<ReportRow[]> {
  return loadEventRows(clickhouse, rowTypes.report, {
    query: `SELECT kind, service AS source, toUnixTimestamp64Milli(max(last_report_at)) AS lastReportMs
     FROM reports
     WHERE page_id = {page:UUID} AND minute >= toStartOfMinute(toDateTime({from:UInt32}, 'UTC'))
       ${names === undefined ? '' : 'AND service IN {services:Array(String)}'}
     GROUP BY kind, source ORDER BY kind, source LIMIT {limit:UInt32}`,
    parameters: {
      ...{ page: pageId, from: Math.floor(fromMs / 1000), limit: sourcesMax },
      ...(names !== undefined && { services: names }),
    },
    rowsMax: sourcesMax,
  });
}

/**
 * Adds the last reports of known sources that have none in the last hour: those of the last day, then those of the whole
 * retention. Two weeks of 2,000 sources are 40 million rows, and those that still report need none of them.
 */
async function addOlderReports(
  clickhouse: EventReader,
  pageId: PageId,
  { recent, known, now }: { recent: readonly ReportRow[]; known: readonly SourceKey[]; now: number },
): Promise<ReportRow[]> {
  const reports = [...recent];
  for (const days of [1, limits.eventRetentionDays]) {
    const found = new Set(reports.map(keyOf));
    const missing = known.filter((source) => !found.has(keyOf(source))).map(({ source }) => source);
    const load = (slice: readonly string[]) => loadReports(clickhouse, pageId, now - days * dayMs, slice);
    for await (const rows of loadInSlices([...new Set(missing)], load)) {
      reports.push(...rows.filter((row) => !found.has(keyOf(row))));
    }
  }
  return reports;
}

/**
 * Loads the usual seconds between the minutes in which each source without a promise reported, of those whose last report
 * is so old that it matters. A day is enough for a source that reports often; the whole retention is read only for those
 * with too few reports in that day.
 */
async function loadRhythms(
  clickhouse: EventReader,
  pageId: PageId,
  { reports, promising, now }: { reports: readonly ReportRow[]; promising: ReadonlySet<string>; now: number },
): Promise<Map<string, Rhythm>> {
  const cleanSince = now - lateFactor * usualGapSeconds * 1000;
  const rhythms = new Map<string, Rhythm>();
  const hasRhythm = (kind: Kind, source: string) =>
    (rhythms.get(keyOf({ kind, source }))?.minutes ?? 0) >= rhythmMinutesMin;
  async function addSince(range: { fromMs: number; minutesMin: number }, kind: Kind): Promise<void> {
    const names = reports
      .filter((one) => one.kind === kind && one.lastReportMs < cleanSince && !promising.has(keyOf(one)))
      .map(({ source }) => source)
      .filter((source) => !hasRhythm(kind, source));
    const load = (slice: readonly string[]) =>
      loadMedianGaps(clickhouse, pageId, { names: slice, kind, ...range });
    for await (const rows of loadInSlices(names, load)) {
      for (const { source, medianGapSeconds, minutes } of rows) {
        const key = keyOf({ kind, source });
        // Three reports of the last day say more of how a source pauses now than those of two weeks.
        const gapSeconds = rhythms.get(key)?.gapSeconds ?? Math.max(usualGapSeconds, medianGapSeconds);
        rhythms.set(key, { gapSeconds, minutes });
      }
    }
  }
  for (const kind of ['service', 'reporter'] as const) {
    await addSince({ fromMs: now - dayMs, minutesMin: 3 }, kind);
    await addSince({ fromMs: now - limits.eventRetentionDays * dayMs, minutesMin: 2 }, kind);
  }
  return rhythms;
}

/** Omits sources with fewer than `minutesMin` reporting minutes since `fromMs`. */
async function loadMedianGaps(
  clickhouse: EventReader,
  pageId: PageId,
  {
    names,
    kind,
    fromMs,
    minutesMin,
  }: { names: readonly string[]; kind: Kind; fromMs: number; minutesMin: number },
): Promise<GapRow[]> {
  return loadEventRows(clickhouse, rowTypes.gap, {
    query: `SELECT source, arrayReduce('median', arrayPopFront(arrayDifference(times))) AS medianGapSeconds,
       toUInt64(length(times)) AS minutes
     FROM
     (
       SELECT service AS source, arraySort(groupUniqArray(toUnixTimestamp(minute))) AS times
       FROM reports
       WHERE page_id = {page:UUID} AND kind = {kind:String} AND service IN {services:Array(String)}
         AND minute >= toDateTime({from:UInt32}, 'UTC')
       GROUP BY source
     )
     WHERE length(times) >= {minutes:UInt32}`,
    parameters: {
      ...{ page: pageId, kind, services: names, from: Math.floor(fromMs / 1000), minutes: minutesMin },
    },
    rowsMax: names.length,
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
    const key = keyOf({ kind: 'service', source: one.service });
    lastCalls.set(key, Math.max(lastCalls.get(key) ?? 0, reportOf.get(keyOf(one))?.lastReportMs ?? 0));
  }
  return lastCalls;
}

/** A person has removed it from the lists, and neither it nor a reporter that names it has reported since. */
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
  const callers = new Set([keyOf({ kind, source: id }), ...instances.map(keyOf)]);
  const names = new Set([id, ...instances.map(({ source }) => source)]);
  const load = (slice: readonly string[]) => loadReports(clickhouse, pageId, at.getTime(), slice);
  for await (const rows of loadInSlices([...names], load)) {
    if (rows.some((one) => callers.has(keyOf(one)) && one.lastReportMs > at.getTime())) return true;
  }
  return false;
}

async function listInstances(sql: Sql, pageId: PageId, service: string): Promise<SourceKey[]> {
  return sql<SourceKey[]>`
    select kind, source from sources
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
