import Type, { type Static } from 'typebox';
import type { FailureSample, FailuresAnswer } from '../contract/analytics/failures.js';
import { analyticsLimits } from '../contract/analytics/limits.js';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, noteKept } from '../lib/kept.js';
import {
  invalidValue,
  type Parameters,
  parseInteger,
  parseParameters,
  parseRange,
  type QueryParameters,
} from '../lib/query-parameters.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { conditionsOf, type EventFilters, parseEventFilters } from './event-filters.js';
import { idsInMessages, inRange } from './message-groups.js';

export type FailureFilters = Pick<EventFilters, 'service' | 'endpoint' | 'status'> & {
  errorType?: string;
  version?: string;
};

/** Where a list goes on: behind so many samples of one millisecond. */
type Position = { atMs: number; passed: number };

export type FailuresQuery = {
  /** Milliseconds since the epoch; `now` is when it was asked. */
  from: number;
  to: number;
  filters: FailureFilters & { message?: string };
  limit: number;
  after: Position | undefined;
  now: number;
};

const filterNames = ['service', 'endpoint', 'errorType', 'status', 'version'] as const;
export const failureNames = ['from', 'to', ...filterNames] as const;
const names = [...failureNames, 'message', 'limit', 'cursor'] as const;

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseFailuresQuery(query: QueryParameters, now: number): FailuresQuery {
  const { limit, cursor, message, ...given } = parseParameters(query, names);
  const text = limit ?? `${analyticsLimits.failuresDefault}`;
  return {
    ...parseRange(given, now),
    now,
    filters: { ...parseFailureFilters(given), ...(message !== undefined && { message }) },
    limit: parseInteger('limit', text, 1, analyticsLimits.failures),
    after: cursor === undefined ? undefined : parseCursor(cursor),
  };
}

/** @throws ServiceError `invalidParameter`. */
export function parseFailureFilters(given: Parameters<(typeof filterNames)[number]>): FailureFilters {
  const { errorType, version, ...rest } = given;
  return {
    ...parseEventFilters(rest),
    ...(errorType !== undefined && { errorType }),
    ...(version !== undefined && { version }),
  };
}

const cursorForm = /^(\d{1,15})-(\d{1,9})$/;

function parseCursor(text: string): Position {
  const [, atMs, passed] = cursorForm.exec(text) ?? [];
  if (atMs === undefined || passed === undefined)
    throw invalidValue('cursor', 'the nextCursor of an answer', text);
  return { atMs: Number(atMs), passed: Number(passed) };
}

const text = (maxLength: number) => Type.String({ maxLength });
const SampleRow = Row({
  atMs: columns.timeMs,
  service: columns.text,
  endpoint: columns.text,
  method: columns.text,
  status: columns.status,
  errorType: columns.text,
  message: columns.text,
  version: columns.text,
  traceId: columns.text,
  spanId: columns.text,
  stack: text(limits.sampleStackBytes),
  attributes: Type.Array(Type.Tuple([columns.text, columns.text]), { maxItems: limits.sampleAttributes }),
  reached: columns.count,
});
const sampleRow = rowType(SampleRow);

/** The longest stack and attributes, if each of their characters is escaped. */
const rowBytesMax = 64 * 1024;

/**
 * How many rows to a sample a read looks at, and again if they hold too few samples: most rows have one, and those of one key
 * that are not merged yet have few each. The last look has a bound, because a row has up to 20 stacks.
 */
const rowsPerSample = [1, 8];

/** Loads samples of failing requests, newest first. */
export async function loadFailures(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  query: FailuresQuery,
): Promise<FailuresAnswer> {
  const { from, limit, after, now } = query;
  const most = analyticsLimits.failureRowsSearched;
  let rows: Static<typeof SampleRow>[] = [];
  let isCut = false;
  for (const many of [...rowsPerSample.map((each) => each * (limit + 1)), most]) {
    const newest = Math.min(many, most);
    rows = await loadAmong(clickhouse, pageId, query, newest);
    const [first] = rows;
    isCut = newest === most && (first === undefined || first.reached >= most);
    if (rows.length > limit || (first !== undefined && first.reached < newest)) break;
  }
  const shown = rows.slice(0, limit);
  return {
    ...noteKept(from, keptAt(now, limits.eventRetentionDays)),
    samples: shown.map(toSample),
    nextCursor: rows.length > limit ? cursorBehind(shown, after) : null,
    truncated: rows.length <= limit && isCut && rows.length > 0,
  };
}

/** The condition of a sample `s`: a time in the range, and the filters that no column has. */
export function sampleConditions({ status, version, message }: FailuresQuery['filters']): string[] {
  return [
    's.1 <= -{from:Int64} AND s.1 > -{to:Int64}',
    ...(status === undefined ? [] : ['s.3 = {status:UInt16}']),
    ...(version === undefined ? [] : ['s.7 = {version:String}']),
    ...(message === undefined
      ? []
      : ["replaceRegexpAll(s.4, {ids:String}, '#') = replaceRegexpAll({message:String}, {ids:String}, '#')"]),
  ];
}

/** The conditions of rows, and the values of all parameters. */
export function rowConditions({ service, endpoint, ...more }: FailuresQuery['filters']): {
  where: string;
  parameters: Record<string, unknown>;
} {
  const { conditions, parameters } = conditionsOf({
    ...(service !== undefined && { service }),
    ...(endpoint !== undefined && { endpoint }),
  });
  if (more.errorType !== undefined) conditions.push('error_type = {errorType:String}');
  return {
    where: [inRange, ...conditions].join(' AND '),
    parameters: { ...parameters, ...more, ids: idsInMessages },
  };
}

/** Loads the newest samples among the newest rows that pass the filters, and all rows of one more minute. */
async function loadAmong(
  clickhouse: EventReader,
  pageId: PageId,
  { from, to, filters, limit, after }: FailuresQuery,
  newest: number,
): Promise<Static<typeof SampleRow>[]> {
  const { where, parameters } = rowConditions(filters);
  const conditions = sampleConditions(filters);
  if (after !== undefined) conditions.push('s.1 >= -{afterMs:Int64}');
  return loadEventRows(clickhouse, sampleRow, {
    query: `WITH (
       SELECT (min(minute), count())
       FROM (SELECT minute FROM failures WHERE ${where} ORDER BY minute DESC LIMIT {newest:UInt32})
     ) AS reach
     SELECT
       -s.1 AS atMs, service, endpoint, s.2 AS method, s.3 AS status, error_type AS errorType, s.4 AS message,
       s.7 AS version, s.5 AS traceId, s.6 AS spanId, s.8 AS stack, s.9 AS attributes, reach.2 AS reached
     FROM
     (
       SELECT service, endpoint, error_type, arrayJoin(groupArraySortedMerge(20)(newest)) AS s
       FROM failures
       WHERE ${where} AND minute >= reach.1
       GROUP BY kind, service, endpoint, error_type, minute
     )
     WHERE ${conditions.join(' AND ')}
     ORDER BY atMs DESC, service, endpoint, errorType, s
     LIMIT {limit:UInt32} OFFSET {passed:UInt32}`,
    parameters: {
      ...{ page: pageId, from, to, limit: limit + 1, newest, ...parameters },
      ...{ afterMs: after?.atMs ?? 0, passed: after?.passed ?? 0 },
    },
    rowsMax: limit + 1,
    rowBytesMax,
  });
}

function toSample({ atMs, reached: _, attributes, ...sample }: Static<typeof SampleRow>): FailureSample {
  return {
    at: new Date(atMs).toISOString(),
    ...sample,
    attributes: attributes.map(([name, value]) => ({ name, value })),
  };
}

/** Names the last sample of a part by its time, and by how many of that millisecond came before the next part. */
function cursorBehind(shown: readonly Static<typeof SampleRow>[], after: Position | undefined): string {
  const atMs = shown.at(-1)?.atMs ?? 0;
  const here = shown.filter((row) => row.atMs === atMs).length;
  return `${atMs}-${here + (after?.atMs === atMs ? after.passed : 0)}`;
}
