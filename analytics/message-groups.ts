import Type, { type Static } from 'typebox';
import { analyticsLimits } from '../contract/analytics/limits.js';
import type { MessageGroup, MessageGroupsAnswer } from '../contract/analytics/messages.js';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, noteKept } from '../lib/kept.js';
import { parseInteger, parseParameters, parseRange, type QueryParameters } from '../lib/query-parameters.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { conditionsOf, type EventFilters, parseEventFilters } from './event-filters.js';

export type MessageGroupsQuery = {
  /** Milliseconds since the epoch; `now` is when it was asked. */
  from: number;
  to: number;
  filters: Pick<EventFilters, 'service' | 'endpoint'> & { status?: number };
  limit: number;
  now: number;
};

const names = ['from', 'to', 'service', 'endpoint', 'status', 'limit'] as const;

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseMessageGroupsQuery(query: QueryParameters, now: number): MessageGroupsQuery {
  const { limit, status, ...given } = parseParameters(query, names);
  const text = limit ?? `${analyticsLimits.messageGroupsDefault}`;
  return {
    ...parseRange(given, now),
    now,
    filters: {
      ...parseEventFilters(given),
      ...(status !== undefined && {
        status: parseInteger('status', status, limits.statusMin, limits.statusMax),
      }),
    },
    limit: parseInteger('limit', text, 1, analyticsLimits.messageGroups),
  };
}

const GroupRow = Row({
  pattern: columns.text,
  message: columns.text,
  messages: columns.count,
  firstMs: columns.timeMs,
  lastMs: columns.timeMs,
  statusList: Type.Array(columns.status, { maxItems: 1_000 }),
  top: Type.Array(Type.Tuple([columns.text, columns.text]), { maxItems: analyticsLimits.endpointsPerGroup }),
  endpointsTotal: columns.count,
  isCut: Type.Integer({ minimum: 0, maximum: 1 }),
});
const groupRow = rowType(GroupRow);

/**
 * The text of a message, given the name of its tuple. In a store that an instance of an earlier version wrote to before
 * `failures` was there, samples stand behind the text, and a zero byte between them.
 */
export const messageOf = (tuple: string): string => `substringIndex(${tuple}.message, '\\0', 1)`;

/**
 * The parts that differ between messages of one kind: UUIDs, words of hexadecimal digits with a digit among them, and numbers
 * wherever they stand, such as in `3012ms`.
 */
export const idsInMessages =
  '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\\b(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]*[0-9][0-9a-fA-F]*)\\b|[0-9]+';

/**
 * Loads the messages of failing responses in groups of messages that differ in numbers and ids alone, the largest group
 * first. Groups the newest messages that pass the filters, at most `analyticsLimits.messagesGrouped` and the messages of one more
 * minute, because finding the ids takes some microseconds a message; and looks for them in the newest
 * `analyticsLimits.messagesSearched` of the page, because every endpoint has rows everywhere in the table.
 */
export async function loadMessageGroups(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  { from, to, filters, limit, now }: MessageGroupsQuery,
): Promise<MessageGroupsAnswer> {
  const { status, ...named } = filters;
  const { conditions, parameters } = conditionsOf(named);
  // The newest of two rows of a minute that are yet to be merged counts; the condition on groups looks at that one.
  if (status !== undefined) conditions.push('latest.status = {status:UInt16}');
  const rows = await loadEventRows(clickhouse, groupRow, {
    query: statementOf(conditions, status === undefined ? '' : 'AND newest.status = {status:UInt16}'),
    parameters: {
      ...{ page: pageId, from, to, ids: idsInMessages, limit: limit + 1, ...parameters },
      ...{ grouped: analyticsLimits.messagesGrouped, searched: analyticsLimits.messagesSearched },
      ...{ endpoints: analyticsLimits.endpointsPerGroup, ...(status !== undefined && { status }) },
    },
    rowsMax: limit + 1,
  });
  return {
    ...noteKept(from, keptAt(now, limits.eventRetentionDays)),
    groups: rows.slice(0, limit).map(toGroup),
    truncated: rows.length > limit || rows.some(({ isCut }) => isCut === 1),
  };
}

/** The condition of the rows of a page in a range of milliseconds, which may cut the first and the last minute. */
export const inRange = `page_id = {page:UUID}
  AND minute >= toStartOfMinute(fromUnixTimestamp64Milli({from:Int64}, 'UTC'))
  AND minute < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;

/** Returns the oldest minute and the number of the newest messages under a condition. */
const reachOf = (where: string, most: string, settings = ''): string =>
  `(SELECT (min(minute), count()) FROM (SELECT minute FROM messages WHERE ${where} ORDER BY minute DESC LIMIT {${most}:UInt32}) ${settings})`;
/** A day's part in the order of the table is slower to read than all parts as they are, unless the first rows do. */
const manyRows = 'SETTINGS optimize_read_in_order = 0';

/**
 * The oldest minutes are found first, by a column of 4 bytes a row: the texts, of up to 200 characters a row, are read
 * from there on.
 */
function statementOf(conditions: readonly string[], having: string): string {
  const isFiltered = conditions.length > 0;
  const where = [inRange, ...(isFiltered ? ['minute >= searched_reach.1'] : []), ...conditions].join(' AND ');
  return `
  WITH ${isFiltered ? `${reachOf(inRange, 'searched', manyRows)} AS searched_reach, ` : ''}${reachOf(where, 'grouped')} AS reach
  SELECT pattern, ${messageOf('max(last)')} AS message, sum(stored) AS messages,
    toUnixTimestamp64Milli(min(first_at)) AS firstMs, toUnixTimestamp64Milli(max(last).at) AS lastMs,
    arraySort(groupUniqArrayArray(statuses)) AS statusList,
    arrayMap(e -> (e.2, e.3), arraySlice(
      arraySort(e -> (-toInt64(e.1), e.2, e.3), groupArray((stored, service, endpoint))), 1, {endpoints:UInt32})) AS top,
    count() AS endpointsTotal,
    reach.2 >= {grouped:UInt32} ${isFiltered ? 'OR searched_reach.2 >= {searched:UInt32}' : ''} AS isCut
  FROM (
    SELECT replaceRegexpAll(${messageOf('newest')}, {ids:String}, '#') AS pattern, kind, service, endpoint,
      count() AS stored, max(newest) AS last, min(newest.at) AS first_at, groupUniqArray(newest.status) AS statuses
    FROM (
      SELECT kind, service, endpoint, max(latest) AS newest
      FROM messages WHERE ${where} AND minute >= reach.1
      GROUP BY kind, service, endpoint, minute
      HAVING newest.at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
        AND newest.at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') ${having}
    )
    GROUP BY pattern, kind, service, endpoint
  )
  GROUP BY pattern ORDER BY messages DESC, pattern LIMIT {limit:UInt32}`;
}

function toGroup(row: Static<typeof GroupRow>): MessageGroup {
  const { pattern, message, messages: count, statusList: statuses, endpointsTotal } = row;
  return {
    ...{ message, pattern, count },
    firstAt: new Date(row.firstMs).toISOString(),
    lastAt: new Date(row.lastMs).toISOString(),
    statuses,
    endpoints: row.top.map(([service, endpoint]) => ({ service, endpoint })),
    endpointsTotal,
  };
}
