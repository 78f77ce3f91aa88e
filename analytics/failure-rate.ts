import type { ClickHouseClient } from '@clickhouse/client';
import type { PageId } from '../lib/ids.js';
import { loadRows } from '../sql/load-rows.js';

/** Requests of a page, and how many of them failed: were answered with a status of 500 or above. */
export type FailureRate = { requests: number; errors: number };

/**
 * Over the minutes from `from` until `to`, in milliseconds since the epoch, both whole minutes.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse cannot be reached, `sqlTooExpensive` when it takes too long.
 */
export async function readFailureRate(
  { clickhouse }: { clickhouse: ClickHouseClient },
  pageId: PageId,
  { from, to }: { from: number; to: number },
): Promise<FailureRate> {
  const [row] = await loadRows<FailureRate>(
    clickhouse,
    `SELECT sum(m.requests) AS requests, sumIf(m.requests, status >= 500) AS errors
     FROM service_requests_minute AS m
     WHERE page_id = {page:UUID}
       AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')`,
    { page: pageId, from: from / 1000, to: to / 1000 },
  );
  return row ?? { requests: 0, errors: 0 };
}
