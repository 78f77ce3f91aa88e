import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

export type RequestRow = {
  page: string;
  kind: string;
  service: string;
  endpoint: string;
  method: string;
  status: number;
  minute: string;
  requests: number;
  timed: number;
  sumUs: number;
};

/** Loads the merged rows of the minute table for all pages, sorted by every column of its key. */
export async function readRequests(clickhouse: ClickHouseClient): Promise<RequestRow[]> {
  return select<RequestRow>(
    clickhouse,
    `SELECT toString(page_id) AS page, toString(kind) AS kind, service, endpoint, method, status,
            toString(minute) AS minute, toUInt32(sum(requests)) AS requests,
            toUInt32(sum(latency_count)) AS timed, toFloat64(sum(latency_sum_us)) AS sumUs
     FROM requests_minute
     GROUP BY page_id, kind, service, endpoint, method, status, minute
     ORDER BY page, kind, service, endpoint, method, status, minute`,
  );
}

/** Counts the stored requests of a page. */
export async function countRequests(clickhouse: ClickHouseClient, pageId: string): Promise<number> {
  const rows = await readRequests(clickhouse);
  return rows.filter(({ page }) => page === pageId).reduce((sum, { requests }) => sum + requests, 0);
}

export async function select<Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> {
  const answer = await clickhouse.query({ query, format: 'JSONEachRow' });
  return answer.json<Row>();
}
