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
export type SourceKey = { kind: Kind; source: string };

export function keyOf({ kind, source }: SourceKey): string {
  return `${kind} ${source}`;
}

export const source = { kind: columns.kind, source: columns.text };
export const ReportRow = Row({ ...source, lastReportMs: columns.timeMs });
export type ReportRow = Static<typeof ReportRow>;
const reportRow = rowType(ReportRow);

const GapRow = Row({
  source: columns.text,
  medianGapSeconds: Type.Number({ minimum: 0 }),
  minutes: columns.count,
});

type GapRow = Static<typeof GapRow>;
const gapRow = rowType(GapRow);

/** Some more than the limit of a page, which has a tolerance when several instances meet new sources at once. */
export const sourcesMax = limits.sourcesPerPage + 200;

/** Loads when each source last reported since `fromMs`; of all of them, or of those with one of the names. */
export async function loadReports(
  clickhouse: EventReader,
  pageId: PageId,
  fromMs: number,
  names?: readonly string[],
): Promise<ReportRow[]> {
  return loadEventRows(clickhouse, reportRow, {
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
 * Adds the last reports of known sources that have none in the last hour: first from the last day, then from the whole
 * retention. Two weeks of 2,000 sources are 40 million rows, and those that still report need none of them.
 */
export async function addOlderReports(
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
 * Loads the usual seconds between the minutes in which each source without a promise reported, for sources whose last report
 * is so old that it matters. A day is enough for a source that reports often; the whole retention is read only for those
 * with too few reports in that day.
 */
export async function loadRhythms(
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
  pageId: PageId,
  {
    names,
    kind,
    fromMs,
    minutesMin,
  }: { names: readonly string[]; kind: Kind; fromMs: number; minutesMin: number },
): Promise<GapRow[]> {
  return loadEventRows(clickhouse, gapRow, {
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
