import Type from 'typebox';
import type { PageId } from '../../lib/ids.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { lateFactor, rhythmMinutesMin, usualGapSeconds } from '../judge-reporter.js';

/** A service or reporter, and the seconds within which it promises to report; 0 without a promise. */
export type Promising = { kind: 'service' | 'reporter'; source: string; promisedSeconds: number };

/** Reports of a source over a period, in milliseconds since the epoch. */
export type PastReports = {
  kind: 'service' | 'reporter';
  source: string;
  /** The interval that it promises, or that it usually kept; 0 for one that reported too seldom to have one. */
  expectedSeconds: number;
  firstAt: number;
  lastAt: number;
  /** Its late times: from a report until the end of the minute with the next one. */
  gaps: { from: number; to: number }[];
};

const times = Type.Array(columns.timeMs);
const GapsRow = Row({
  ...{ kind: columns.kind, source: columns.text, expectedSeconds: Type.Number({ minimum: 0 }) },
  ...{ firstAt: columns.timeMs, lastAt: columns.timeMs, gapsFrom: times, gapsTo: times },
});
const gapsRow = rowType(GapsRow);

/** Sources of one read: two weeks of one that reports every minute are 20,160 rows. */
const sourcesTogether = 50;

/**
 * Loads when sources of a page were late over whole minutes of the last 14 days. Sources without a report are not among them. The
 * intervals are those that hold for the whole period: what was promised or usual before is not known.
 *
 * @throws as loadEventRows() does.
 */
export async function loadGaps(
  reader: EventReader,
  pageId: PageId,
  sources: readonly Promising[],
  { from, to }: { from: number; to: number },
): Promise<PastReports[]> {
  const found: PastReports[] = [];
  for (let at = 0; at < sources.length; at += sourcesTogether) {
    const some = sources.slice(at, at + sourcesTogether);
    const names = some.map(({ kind, source, promisedSeconds }) => [kind, source, promisedSeconds]);
    const rows = await loadEventRows(reader, gapsRow, {
      query,
      parameters: { page: pageId, names: JSON.stringify(names), from: from / 1000, to: to / 1000 },
      rowsMax: some.length,
    });
    for (const { gapsFrom, gapsTo, ...row } of rows)
      found.push({ ...row, gaps: gapsFrom.map((start, i) => ({ from: start, to: gapsTo[i] ?? start })) });
  }
  return found;
}

/** Each minute with reports counts with its start and its last report. */
const query = `
  WITH named AS (
    SELECT one.1 AS named_kind, one.2 AS named_source, one.3 AS promised
    FROM (SELECT arrayJoin(JSONExtract({names:String}, 'Array(Tuple(String, String, Float64))')) AS one)
  )
  SELECT kind, source, expectedSeconds, lasts[1] AS firstAt, lasts[-1] AS lastAt,
    arrayMap(i -> lasts[i], late) AS gapsFrom, arrayMap(i -> 1000 * (starts[i + 1] + 60), late) AS gapsTo
  FROM (
    SELECT kind, source, starts, lasts,
      if(promised > 0, promised, if(length(starts) < ${rhythmMinutesMin}, 0,
        greatest(${usualGapSeconds}, arrayReduce('median', arrayPopFront(arrayDifference(starts)))))) AS expectedSeconds,
      arrayFilter(
        i -> expectedSeconds > 0 AND 1000 * (starts[i + 1] + 60) - lasts[i] > ${lateFactor} * 1000 * expectedSeconds,
        range(1, length(starts))) AS late
    FROM (
      SELECT kind, source, any(named.promised) AS promised,
        arraySort(groupArray((start, last))) AS minutes, minutes.1 AS starts, minutes.2 AS lasts
      FROM (
        SELECT r.kind AS kind, service AS source, toInt64(toUnixTimestamp(minute)) AS start,
          toUnixTimestamp64Milli(max(last_report_at)) AS last
        FROM reports AS r
        WHERE page_id = {page:UUID} AND service IN (SELECT named_source FROM named)
          AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
        GROUP BY kind, source, start
      ) AS reported INNER JOIN named ON toString(reported.kind) = named_kind AND reported.source = named_source
      GROUP BY kind, source
    )
  )`;
