import { analyticsLimits } from '../contract/analytics/limits.js';
import type { MessagesAnswer } from '../contract/analytics/messages.js';
import { limits } from '../contract/limits.js';
import type { PageId } from '../lib/ids.js';
import { keptAt, noteKept } from '../lib/kept.js';
import { parseInteger, parseParameters, parseRange, type QueryParameters } from '../lib/query-parameters.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { conditionsOf, type EventFilters, parseEventFilters } from './event-filters.js';

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

const messageRow = rowType(
  Row({
    atMs: columns.timeMs,
    service: columns.text,
    endpoint: columns.text,
    method: columns.text,
    status: columns.status,
    message: columns.text,
  }),
);

/** Loads the messages of failing responses, newest first. The newest one per service, endpoint and minute is kept. */
export async function loadMessages(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  { from, to, filters, limit, now }: MessagesQuery,
): Promise<MessagesAnswer> {
  const { conditions, parameters } = conditionsOf(filters);
  const rows = await loadEventRows(clickhouse, messageRow, {
    query: `SELECT
       toUnixTimestamp64Milli(newest.at) AS atMs, service, endpoint,
       newest.method AS method, newest.status AS status, newest.message AS message
     FROM
     (
       SELECT service, endpoint, max(latest) AS newest
       FROM messages
       WHERE page_id = {page:UUID}
         AND minute >= toStartOfMinute(fromUnixTimestamp64Milli({from:Int64}, 'UTC'))
         AND minute < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
         ${conditions.map((condition) => `AND ${condition}`).join(' ')}
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
      ...parameters,
    },
    rowsMax: limit + 1,
  });
  return {
    ...noteKept(from, keptAt(now, limits.eventRetentionDays)),
    messages: rows
      .slice(0, limit)
      .map(({ atMs, ...message }) => ({ at: new Date(atMs).toISOString(), ...message })),
    truncated: rows.length > limit,
  };
}
