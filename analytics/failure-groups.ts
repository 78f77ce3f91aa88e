import Type, { type Static } from 'typebox';
import type { FailureGroup, FailureGroupsAnswer } from '../contract/analytics/failures.js';
import { analyticsLimits } from '../contract/analytics/limits.js';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, noteKept } from '../lib/kept.js';
import { parseInteger, parseParameters, parseRange, type QueryParameters } from '../lib/query-parameters.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import {
  type FailuresQuery,
  failureNames,
  parseFailureFilters,
  rowConditions,
  sampleConditions,
} from './failures.js';

export type FailureGroupsQuery = Omit<FailuresQuery, 'after'>;

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseFailureGroupsQuery(query: QueryParameters, now: number): FailureGroupsQuery {
  const { limit, ...given } = parseParameters(query, [...failureNames, 'limit']);
  const text = limit ?? `${analyticsLimits.failureGroupsDefault}`;
  return {
    ...parseRange(given, now),
    now,
    filters: parseFailureFilters(given),
    limit: parseInteger('limit', text, 1, analyticsLimits.failureGroups),
  };
}

const GroupRow = Row({
  errorType: columns.text,
  pattern: columns.text,
  message: columns.text,
  samples: columns.count,
  firstMs: columns.timeMs,
  lastMs: columns.timeMs,
  statusList: Type.Array(columns.status, { maxItems: 1_000 }),
  versions: Type.Array(columns.text, { maxItems: analyticsLimits.versionsPerGroup }),
  top: Type.Array(Type.Tuple([columns.text, columns.text]), { maxItems: analyticsLimits.endpointsPerGroup }),
  endpointsTotal: columns.count,
  isCut: Type.Integer({ minimum: 0, maximum: 1 }),
});
const groupRow = rowType(GroupRow);

/**
 * Loads the samples of failing requests in groups of one type of error whose messages differ in numbers and ids alone, the
 * largest group first. Groups the newest rows that pass the filters, because each has up to 20 stacks, which are read with it.
 */
export async function loadFailureGroups(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  { from, to, filters, limit, now }: FailureGroupsQuery,
): Promise<FailureGroupsAnswer> {
  const { where, parameters } = rowConditions(filters);
  const rows = await loadEventRows(clickhouse, groupRow, {
    query: statementOf(where, sampleConditions(filters).join(' AND ')),
    parameters: {
      ...{ page: pageId, from, to, limit: limit + 1, ...parameters },
      ...{ newest: analyticsLimits.failureRowsSearched, endpoints: analyticsLimits.endpointsPerGroup },
      versions: analyticsLimits.versionsPerGroup,
    },
    rowsMax: limit + 1,
  });
  return {
    ...noteKept(from, keptAt(now, limits.eventRetentionDays)),
    groups: rows.slice(0, limit).map(toGroup),
    truncated: rows.length > limit || rows.some(({ isCut }) => isCut === 1),
  };
}

function statementOf(where: string, ofSample: string): string {
  return `
  WITH (
    SELECT (min(minute), count())
    FROM (SELECT minute FROM failures WHERE ${where} ORDER BY minute DESC LIMIT {newest:UInt32})
  ) AS reach
  SELECT error_type AS errorType, pattern, max(last).2 AS message, sum(stored) AS samples,
    toInt64(min(first_ms)) AS firstMs, max(last).1 AS lastMs,
    arraySort(groupUniqArrayArray(statuses)) AS statusList,
    arraySlice(arrayFilter(v -> v != '', arraySort(groupUniqArrayArray(versions_seen))), 1, {versions:UInt32}) AS versions,
    arrayMap(e -> (e.2, e.3), arraySlice(
      arraySort(e -> (-toInt64(e.1), e.2, e.3), groupArray((stored, service, endpoint))), 1, {endpoints:UInt32})) AS top,
    count() AS endpointsTotal,
    reach.2 >= {newest:UInt32} AS isCut
  FROM (
    SELECT error_type, replaceRegexpAll(s.4, {ids:String}, '#') AS pattern, kind, service, endpoint,
      count() AS stored, max((-s.1, s.4)) AS last, min(-s.1) AS first_ms,
      groupUniqArray(s.3) AS statuses, groupUniqArray({versions:UInt32})(s.7) AS versions_seen
    FROM (
      SELECT kind, service, endpoint, error_type, arrayJoin(groupArraySortedMerge(20)(newest)) AS s
      FROM failures WHERE ${where} AND minute >= reach.1
      GROUP BY kind, service, endpoint, error_type, minute
    )
    WHERE ${ofSample}
    GROUP BY error_type, pattern, kind, service, endpoint
  )
  GROUP BY error_type, pattern ORDER BY samples DESC, lastMs DESC, errorType, pattern LIMIT {limit:UInt32}`;
}

function toGroup(row: Static<typeof GroupRow>): FailureGroup {
  const { errorType, message, pattern, samples: count, statusList: statuses, versions, endpointsTotal } = row;
  return {
    ...{ errorType, message, pattern, count },
    firstAt: new Date(row.firstMs).toISOString(),
    lastAt: new Date(row.lastMs).toISOString(),
    ...{ statuses, versions },
    endpoints: row.top.map(([service, endpoint]) => ({ service, endpoint })),
    endpointsTotal,
  };
}
