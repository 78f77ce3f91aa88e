import type { Static } from 'typebox';
import Type from 'typebox';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { dayMs } from '../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { loadInSlices } from '../sql/slice-names.js';
import { lateFactor, type Rhythm, rhythmMinutesMin, usualGapSeconds } from './judge-reporter.js';

export type Kind = 'service' | 'reporter';
export type SourceKey = { pageId: PageId; kind: Kind; source: string };

export function keyOf({ pageId, kind, source }: SourceKey): string {
  return `${pageId} ${kind} ${source}`;
}

/** Rows of pages that were not asked about reach no answer. */
export const pageId = Type.Unsafe<PageId>(columns.text);
export const source = { pageId, kind: columns.kind, source: columns.text };
export const ReportRow = Row({ ...source, lastReportMs: columns.timeMs });
export type ReportRow = Static<typeof ReportRow>;
const reportRow = rowType(ReportRow);

const GapRow = Row({
  ...{ pageId, source: columns.text },
  medianGapSeconds: Type.Number({ minimum: 0 }),
  minutes: columns.count,
});

type GapRow = Static<typeof GapRow>;
const gapRow = rowType(GapRow);

/** Some more than the limit of a page, which has a tolerance when several instances meet new sources at once. */
export const sourcesMax = limits.sourcesPerPage + 200;

/** The name of a source of a page, for namesIn(). */
export function nameOf({ pageId, source }: Pick<SourceKey, 'pageId' | 'source'>): string {
  return JSON.stringify([pageId, source]);
}

/** The condition for rows of the parameter `names`, which namesParameter() makes of names. */
const namesIn = `(page_id, service) IN (
  SELECT one.1, one.2 FROM (SELECT arrayJoin(JSONExtract({names:String}, 'Array(Tuple(UUID, String))')) AS one))`;

function namesParameter(names: readonly string[]): { names: string } {
  return { names: `[${names.join(',')}]` };
}

/** Loads when each source of pages last reported since `fromMs`; of all of them, or of those with one of the names. */
export async function loadReports(
  clickhouse: EventReader,
  pageIds: readonly PageId[],
  fromMs: number,
  names?: readonly string[],
): Promise<ReportRow[]> {
  return loadEventRows(clickhouse, reportRow, {
    query: `SELECT toString(page_id) AS pageId, kind, service AS source,
       toUnixTimestamp64Milli(max(last_report_at)) AS lastReportMs
     FROM reports
     WHERE page_id IN {pages:Array(UUID)} AND minute >= toStartOfMinute(toDateTime({from:UInt32}, 'UTC'))
       ${names === undefined ? '' : `AND ${namesIn}`}
     GROUP BY page_id, kind, source ORDER BY page_id, kind, source LIMIT {limit:UInt32} BY page_id`,
    parameters: {
      ...{ pages: [...pageIds], from: Math.floor(fromMs / 1000), limit: sourcesMax },
      ...(names !== undefined && namesParameter(names)),
    },
    rowsMax: sourcesMax * pageIds.length,
  });
}

/**
 * Adds the last reports of known sources that have none in the last hour: first from the last day, then from the whole
 * retention. Two weeks of 2,000 sources are 40 million rows, and those that still report need none of them.
 */
export async function addOlderReports(
  clickhouse: EventReader,
  pageIds: readonly PageId[],
  { recent, known, now }: { recent: readonly ReportRow[]; known: readonly SourceKey[]; now: number },
): Promise<ReportRow[]> {
  const reports = [...recent];
  for (const days of [1, limits.eventRetentionDays]) {
    const found = new Set(reports.map(keyOf));
    const missing = known.filter((source) => !found.has(keyOf(source))).map(nameOf);
    const load = (slice: readonly string[]) => loadReports(clickhouse, pageIds, now - days * dayMs, slice);
    for await (const rows of loadInSlices([...new Set(missing)], load)) {
      reports.push(...rows.filter((row) => !found.has(keyOf(row))));
    }
  }
  return reports;
}

/**
 * Loads the usual seconds between the minutes in which each source without a promise reported, for sources whose last report
 * is so old that it matters. A day is enough for a source that reports often; the whole retention is read only for those
 * with too few reports in that day.
 */
export async function loadRhythms(
  clickhouse: EventReader,
  pageIds: readonly PageId[],
  { reports, promising, now }: { reports: readonly ReportRow[]; promising: ReadonlySet<string>; now: number },
): Promise<Map<string, Rhythm>> {
  const cleanSince = now - lateFactor * usualGapSeconds * 1000;
  const rhythms = new Map<string, Rhythm>();
  const hasRhythm = (one: SourceKey) => (rhythms.get(keyOf(one))?.minutes ?? 0) >= rhythmMinutesMin;
  async function addSince(range: { fromMs: number; minutesMin: number }, kind: Kind): Promise<void> {
    const names = reports
      .filter((one) => one.kind === kind && one.lastReportMs < cleanSince && !promising.has(keyOf(one)))
      .filter((one) => !hasRhythm(one))
      .map(nameOf);
    const load = (slice: readonly string[]) =>
      loadMedianGaps(clickhouse, pageIds, { names: slice, kind, ...range });
    for await (const rows of loadInSlices(names, load)) {
      for (const { pageId, source, medianGapSeconds, minutes } of rows) {
        const key = keyOf({ pageId, kind, source });
        // Three reports of the last day say more of how a source pauses now than the reports of two weeks.
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
  pageIds: readonly PageId[],
  {
    names,
    kind,
    fromMs,
    minutesMin,
  }: { names: readonly string[]; kind: Kind; fromMs: number; minutesMin: number },
): Promise<GapRow[]> {
  return loadEventRows(clickhouse, gapRow, {
    query: `SELECT toString(page) AS pageId, source, arrayReduce('median', arrayPopFront(arrayDifference(times))) AS medianGapSeconds,
       toUInt64(length(times)) AS minutes
     FROM
     (
       SELECT page_id AS page, service AS source, arraySort(groupUniqArray(toUnixTimestamp(minute))) AS times
       FROM reports
       WHERE page_id IN {pages:Array(UUID)} AND kind = {kind:String} AND ${namesIn}
         AND minute >= toDateTime({from:UInt32}, 'UTC')
       GROUP BY page, source
     )
     WHERE length(times) >= {minutes:UInt32}`,
    parameters: {
      ...{ pages: [...pageIds], kind, from: Math.floor(fromMs / 1000), minutes: minutesMin },
      ...namesParameter(names),
    },
    rowsMax: names.length,
  });
}
