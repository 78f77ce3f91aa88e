import type { ClickHouseClient } from '@clickhouse/client';
import { pageQueryId, sqlLimits } from '../../contract/sql-tables.js';
import { type PageId, parseId } from '../../lib/ids.js';

export type QueryServer = {
  /** The service's own client. */
  clickhouse: ClickHouseClient;
  /** Name of the cluster over which the tables are spread. */
  cluster?: string | undefined;
};

/** The queries of a page that the server runs, for every process and instance of the service. */
export type RunningQueries = {
  running: number;
  /** Running queries that were cancelled. */
  cancelled: number;
  /** Queries that have run for longer than a query may. */
  overdue: number;
};

/** A query that is inside a call notices its limit when the call ends. Two seconds more are ordinary on a busy server. */
const overdueSeconds = sqlLimits.timeSeconds + 2;

/** Loads the queries of a page, from every server of a cluster. Measured: 1.7 times as long as SELECT 1. */
export async function loadRunningQueries(
  server: QueryServer,
  pageId: PageId,
  signal?: AbortSignal,
): Promise<RunningQueries> {
  const rows = await select<RunningQueries>(
    server,
    `SELECT toUInt32(uniqExact(initial_query_id)) AS running,
            toUInt32(uniqExactIf(initial_query_id, is_cancelled)) AS cancelled,
            toUInt32(uniqExactIf(initial_query_id, elapsed > ${overdueSeconds})) AS overdue
     FROM ${processesOf(server)} WHERE startsWith(initial_query_id, {prefix:String})`,
    { prefix: pageQueryId(pageId, '') },
    signal,
  );
  return rows[0] ?? { running: 0, cancelled: 0, overdue: 0 };
}

/** `pageId` is `undefined` when another program chose an id of this kind. */
export type OverdueQuery = { queryId: string; pageId: PageId | undefined; seconds: number };

/** Loads the queries of all pages that have run for longer than a query may, the oldest first. */
export async function loadOverdueQueries(server: QueryServer): Promise<OverdueQuery[]> {
  const rows = await select<Omit<OverdueQuery, 'pageId'>>(
    server,
    `SELECT initial_query_id AS queryId, max(elapsed) AS seconds
     FROM ${processesOf(server)} WHERE startsWith(initial_query_id, 'sql-') AND elapsed > ${overdueSeconds}
     GROUP BY queryId ORDER BY seconds DESC`,
    {},
  );
  return rows.map((row) => ({ ...row, pageId: pageOfQuery(row.queryId) }));
}

/** Returns the page in an id that pageQueryId() made. */
function pageOfQuery(queryId: string): PageId | undefined {
  return parseId<PageId>(queryId.slice('sql-'.length).slice(0, 36));
}

/** Asks the server to end a query, and does not wait for the end. */
export async function killQuery(
  { clickhouse }: QueryServer,
  queryId: string,
  signal?: AbortSignal,
): Promise<void> {
  const query = 'KILL QUERY WHERE query_id = {id:String} ASYNC';
  const asked = { query, query_params: { id: queryId } };
  await clickhouse.command({ ...asked, ...(signal !== undefined && { abort_signal: signal }) });
}

/** Queries on other servers of a cluster carry the id of the query that caused them. */
function processesOf({ cluster }: QueryServer): string {
  return cluster === undefined ? 'system.processes' : `clusterAllReplicas('${cluster}', system.processes)`;
}

async function select<Row>(
  { clickhouse }: QueryServer,
  query: string,
  query_params: Record<string, string>,
  signal?: AbortSignal,
): Promise<Row[]> {
  const answer = await clickhouse.query({
    query,
    query_params,
    format: 'JSONEachRow',
    ...(signal !== undefined && { abort_signal: signal }),
    // A server that does not answer runs no query that could be counted.
    clickhouse_settings: { skip_unavailable_shards: 1 },
  });
  return answer.json<Row>();
}
