import Type, { type Static } from 'typebox';
import { analyticsLimits } from '../contract/analytics/limits.js';
import type { CallsAnswer } from '../contract/analytics/reporters.js';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, keptSteps, noteRange } from '../lib/kept.js';
import { invalid, parseInteger, parseParameters, type QueryParameters } from '../lib/query-parameters.js';
import { parseSteppedRange, type SteppedRange, stepsOf } from '../lib/steps.js';
import { dayMs, minuteMs } from '../lib/times.js';
import type { Sql } from '../sql/open-postgres.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { parseEventFilters, type ServiceFilter } from './event-filters.js';

export type CallsQuery = SteppedRange & {
  /** Only the service or reporter with this name. */
  reporter?: ServiceFilter;
  limit: number;
};

const names = ['from', 'to', 'step', 'reporter', 'limit'] as const;

/**
 * `now` is the time to which a range is relative.
 *
 * @throws ServiceError `invalidParameter`, naming the parameter; also when so many reporters over such a range would be
 *   too many rows, or too many points.
 */
export function parseCallsQuery(query: QueryParameters, now: number): CallsQuery {
  const {
    limit: text = `${analyticsLimits.callersDefault}`,
    reporter,
    ...given
  } = parseParameters(query, names);
  const range = parseSteppedRange(given, now);
  const { service } = parseEventFilters(reporter === undefined ? {} : { service: reporter });
  const limit = parseInteger('limit', text, 1, analyticsLimits.callers);
  checkSize(range, service === undefined ? limit : 1);
  return { ...range, ...(service !== undefined && { reporter: service }), limit };
}

/** Each source has a row for each minute in which it called. */
function checkSize(range: SteppedRange, callers: number): void {
  const points = stepsOf(range).length;
  const { callPoints, callMinutes, pointsPerSeries } = analyticsLimits;
  if (points > pointsPerSeries) {
    throw invalid(
      `Parameter "step" gives ${points} points; the most is ${pointsPerSeries}: take a longer step or a shorter range.`,
    );
  }
  if (points * callers > callPoints) {
    throw invalid(
      `Parameter "limit" times the ${points} points of a reporter must be at most ${callPoints}: take a longer step or a lower limit.`,
    );
  }
  const minutes = Math.min(range.to - range.from, limits.eventRetentionDays * dayMs) / minuteMs;
  if (minutes * callers > callMinutes) {
    throw invalid(
      `Parameter "limit" times the ${minutes} minutes of the range must be at most ${callMinutes}: take a shorter range or a lower limit.`,
    );
  }
}

type Kind = 'service' | 'reporter';
type Caller = { kind: Kind; id: string };
const CallsRow = Row({
  kind: columns.kind,
  id: columns.text,
  steps: Type.Array(Type.Tuple([columns.count, columns.count]), {
    maxItems: analyticsLimits.pointsPerSeries,
  }),
});
const callsRow = rowType(CallsRow);

/**
 * Loads how often the services and reporters of a page called, per step: batches and heartbeats by the minute in which
 * they arrived. The page knows who could have called, so that one that did not has points as well.
 */
export async function loadCalls(
  { clickhouse, sql }: { clickhouse: EventReader; sql: Sql },
  pageId: PageId,
  query: CallsQuery,
): Promise<CallsAnswer> {
  const callers = await listCallers(sql, pageId, query);
  const shown = callers.slice(0, query.limit);
  const rows = await loadSteps(clickhouse, pageId, query, shown);
  const stepsOfCaller = new Map(rows.map((row) => [keyOf(row), row.steps]));
  const { first } = stepsOf(query);
  const kept = keptAt(query.now, limits.eventRetentionDays);
  const isKept = keptSteps(query, kept);
  return {
    from: new Date(query.from).toISOString(),
    to: new Date(query.to).toISOString(),
    step: query.stepSeconds,
    ...noteRange(query, kept),
    reporters: shown.map(({ id, kind }) => {
      const points = isKept.map((known): number | null => (known ? 0 : null));
      for (const [step, calls] of stepsOfCaller.get(keyOf({ id, kind })) ?? []) {
        if (isKept[step - first] === true) points[step - first] = calls;
      }
      return { id, kind, points };
    }),
    truncated: callers.length > query.limit,
  };
}

function keyOf({ kind, id }: Caller): string {
  return `${kind} ${id}`;
}

/** Loads one more than the limit, in the order of their bytes, as the table of calls is sorted. */
async function listCallers(sql: Sql, pageId: PageId, { reporter, limit }: CallsQuery): Promise<Caller[]> {
  const named =
    reporter === undefined
      ? sql``
      : sql`and (kind = 'service' and source = any(${reporter.services}::text[])
          or kind = 'reporter' and source = ${reporter.reporter})`;
  return sql<Caller[]>`
    select kind, source as id from sources where page_id = ${pageId} ${named}
    order by source collate "C", kind desc limit ${limit + 1}`;
}

/** Reads the rows between the first and the last caller: their names could be more than a parameter takes. */
async function loadSteps(
  clickhouse: EventReader,
  pageId: PageId,
  { from, to, stepSeconds }: CallsQuery,
  callers: readonly Caller[],
): Promise<Static<typeof CallsRow>[]> {
  const [first, last] = [callers[0], callers.at(-1)];
  if (first === undefined || last === undefined) return [];
  // The names between may belong to both kinds, and a page's own store may have names that the page has no more.
  const rowsMax = 2 * (limits.sourcesPerPage + 200);
  return loadEventRows(clickhouse, callsRow, {
    query: `SELECT kind, service AS id, groupArray((step, calls_here)) AS steps
     FROM
     (
       SELECT kind, service, intDiv(toUnixTimestamp(minute), {step:UInt32}) AS step, sum(calls) AS calls_here
       FROM reports
       WHERE page_id = {page:UUID} AND service BETWEEN {first:String} AND {last:String}
         AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
       GROUP BY service, kind, step
       SETTINGS optimize_aggregation_in_order = 1
     )
     GROUP BY kind, service LIMIT {rows:UInt32}`,
    parameters: {
      ...{ page: pageId, first: first.id, last: last.id, step: stepSeconds, rows: rowsMax },
      ...{ from: from / 1000, to: to / 1000 },
    },
    rowsMax,
  });
}
