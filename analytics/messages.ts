import type { Static } from 'typebox';
import { analyticsLimits } from '../contract/analytics/limits.js';
import type { MessagesAnswer } from '../contract/analytics/messages.js';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, noteKept } from '../lib/kept.js';
import { parseInteger, parseParameters, parseRange, type QueryParameters } from '../lib/query-parameters.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { conditionsOf, type EventFilters, parseEventFilters } from './event-filters.js';
import { inRange, messageOf } from './message-groups.js';

export type MessagesQuery = {
  /** Milliseconds since the epoch; `now` is when it was asked. */
  from: number;
  to: number;
  filters: Pick<EventFilters, 'service' | 'endpoint'>;
  limit: number;
  now: number;
};

const names = ['from', 'to', 'service', 'endpoint', 'limit'] as const;

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseMessagesQuery(query: QueryParameters, now: number): MessagesQuery {
  const { limit, ...given } = parseParameters(query, names);
  const text = limit ?? `${analyticsLimits.messagesDefault}`;
  return {
    ...parseRange(given, now),
    now,
    filters: parseEventFilters(given),
    limit: parseInteger('limit', text, 1, analyticsLimits.messages),
  };
}

const MessageRow = Row({
  atMs: columns.timeMs,
  service: columns.text,
  endpoint: columns.text,
  method: columns.text,
  status: columns.status,
  message: columns.text,
  reached: columns.count,
});
const messageRow = rowType(MessageRow);

/**
 * How many rows to a message a read looks at, and again if they hold too few messages: each block of a minute has a row of
 * the same key until they are merged, twelve a process. At last it looks at all.
 */
const rowsPerMessage = [16, 256];
const rowsMax = 2 ** 32 - 1;

/** Loads the messages of failing responses, newest first. The newest one per service, endpoint and minute is kept. */
export async function loadMessages(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  query: MessagesQuery,
): Promise<MessagesAnswer> {
  const { from, limit, now } = query;
  let rows: Static<typeof MessageRow>[] = [];
  for (const newest of [...rowsPerMessage.map((many) => many * (limit + 1)), rowsMax]) {
    rows = await loadAmong(clickhouse, pageId, query, newest);
    // All rows at the end of a range may be of the part of a minute that it cuts off.
    const [first] = rows;
    if (rows.length > limit || (first !== undefined && first.reached < newest)) break;
  }
  return {
    ...noteKept(from, keptAt(now, limits.eventRetentionDays)),
    messages: rows
      .slice(0, limit)
      .map(({ atMs, reached, ...message }) => ({ at: new Date(atMs).toISOString(), ...message })),
    truncated: rows.length > limit,
  };
}

/**
 * Loads the newest messages among the newest rows that pass the filters, and all rows of one more minute: the oldest minute
 * of them is found first, by a column of 4 bytes a row. With the texts of two weeks of 2,000 endpoints, of up to 200
 * characters a row, a read took 0.8 s. `reached` is the number of these rows.
 */
async function loadAmong(
  clickhouse: EventReader,
  pageId: PageId,
  { from, to, filters, limit }: MessagesQuery,
  newest: number,
): Promise<Static<typeof MessageRow>[]> {
  const { conditions, parameters } = conditionsOf(filters);
  const where = [inRange, ...conditions].join(' AND ');
  return loadEventRows(clickhouse, messageRow, {
    query: `WITH (
       SELECT (min(minute), count())
       FROM (SELECT minute FROM messages WHERE ${where} ORDER BY minute DESC LIMIT {newest:UInt32})
     ) AS reach
     SELECT
       toUnixTimestamp64Milli(newest.at) AS atMs, service, endpoint,
       newest.method AS method, newest.status AS status, ${messageOf('newest')} AS message,
       reach.2 AS reached
     FROM
     (
       SELECT service, endpoint, max(latest) AS newest
       FROM messages
       WHERE ${where} AND minute >= reach.1
       GROUP BY kind, service, endpoint, minute
     )
     WHERE atMs >= {from:Int64} AND atMs < {to:Int64}
     ORDER BY atMs DESC, service, endpoint, method
     LIMIT {limit:UInt32}`,
    parameters: {
      page: pageId,
      from,
      to,
      limit: limit + 1,
      newest,
      ...parameters,
    },
    rowsMax: limit + 1,
  });
}
