import type { Static } from 'typebox';
import type { PageId } from '../lib/ids.js';
import { minuteMs } from '../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';

const FailureRate = Row({ requests: columns.count, errors: columns.count });

/** Requests of a page, and how many of them failed: were answered with a status of 500 or above. */
type FailureRate = Static<typeof FailureRate>;

const EndpointFailures = Row({
  service: columns.text,
  endpoint: columns.text,
  requests: columns.count,
  errors: columns.count,
});

const FailureMinute = Row({ at: columns.timeMs, requests: columns.count, errors: columns.count });

const failureRowTypes = {
  rate: rowType(FailureRate),
  minute: rowType(FailureMinute),
  endpoint: rowType(EndpointFailures),
};

/**
 * Loads the failure rate over the minutes from `from` until `to`, in milliseconds since the epoch, both whole minutes.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long.
 */
export async function loadFailureRate(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  { from, to }: { from: number; to: number },
): Promise<FailureRate> {
  const [row] = await loadEventRows(clickhouse, failureRowTypes.rate, {
    query: `SELECT sum(m.requests) AS requests, sumIf(m.requests, status >= 500) AS errors
     FROM service_requests_minute AS m
     WHERE page_id = {page:UUID}
       AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')`,
    parameters: { page: pageId, from: from / 1000, to: to / 1000 },
    rowsMax: 1,
  });
  return row ?? { requests: 0, errors: 0 };
}

/**
 * Loads the endpoints with the most failures over these minutes, at most `endpoints` of those that failed at all. A
 * larger share goes first among equals.
 *
 * @throws as loadFailureRate() does.
 */
export async function loadWorstEndpoints(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  { from, to, endpoints }: { from: number; to: number; endpoints: number },
): Promise<(FailureRate & { service: string; endpoint: string })[]> {
  return loadEventRows(clickhouse, failureRowTypes.endpoint, {
    query: `SELECT service, endpoint, sum(m.requests) AS requests, sumIf(m.requests, status >= 500) AS errors
     FROM requests_minute AS m
     WHERE page_id = {page:UUID}
       AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
     GROUP BY service, endpoint HAVING errors > 0
     ORDER BY errors DESC, requests, service, endpoint LIMIT {endpoints:UInt32}`,
    parameters: { page: pageId, from: from / 1000, to: to / 1000, endpoints },
    rowsMax: endpoints,
  });
}

/**
 * Loads what loadFailureRate() does by minute, oldest first: the minutes with requests, by their start in milliseconds
 * since the epoch.
 *
 * @throws as loadFailureRate() does.
 */
export async function loadFailureMinutes(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  { from, to }: { from: number; to: number },
): Promise<(FailureRate & { at: number })[]> {
  return loadEventRows(clickhouse, failureRowTypes.minute, {
    query: `SELECT 1000 * toInt64(toUnixTimestamp(minute)) AS at, sum(m.requests) AS requests,
       sumIf(m.requests, status >= 500) AS errors
     FROM service_requests_minute AS m
     WHERE page_id = {page:UUID}
       AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')
     GROUP BY minute ORDER BY minute`,
    parameters: { page: pageId, from: from / 1000, to: to / 1000 },
    rowsMax: (to - from) / minuteMs,
  });
}
