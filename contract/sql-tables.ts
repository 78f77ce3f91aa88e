/**
 * What the confined SQL user may read and how much. One list for everything that has to agree: the embedded
 * server's users file, the statements for other servers, the check of a query, and docs/sql.md.
 */

/** The tables a page's own SQL can read; each is filtered to the page's rows. */
export const readableTables = [
  'requests_minute',
  'requests_hour',
  'service_requests_minute',
  'service_requests_hour',
  'messages',
  'reports',
  'pools_minute',
  'process_pools_minute',
  'pool_exporters_minute',
] as const;

/**
 * Name of the ClickHouse user that runs the SQL of the pages of one database: `heartline_sql` for `heartline`.
 * Its password is derived from the secret key.
 */
export function sqlUserName(database: string): string {
  return `${database}_sql`;
}

/** HTTP header in which the service, and only the service, says whose rows the user may see. */
export const pageHeader = 'X-Heartline-Page';

/** Row filter of every readable table. Without the header, or with anything but a UUID in it, it keeps no row. */
export const pageRowFilter = `page_id = toUUIDOrNull(getClientHTTPHeader('${pageHeader}'))`;

/** The table of a server's own rows, on a cluster: `requests_minute_local` of `requests_minute`. */
export function localTable(table: string): string {
  return `${table}_local`;
}

/** On a cluster the confined user may also read this one: as whom each shard runs its query. */
export const shardUsersTable = 'shard_users';

/** Tells whose rows a query may see on every server of a cluster: a header reaches only the first of them. */
export function pageQueryId(pageId: string, random: string): string {
  return `sql-${pageId}-${random}`;
}

/** Row filter of every local table behind a readable one. A query id of another form keeps no row. */
export const clusterRowFilter = "page_id = toUUIDOrNull(substring(initialQueryID(), length('sql-') + 1, 36))";

/** What one query of a page may use. Exceeding one fails the query; nothing is cut silently. */
export const sqlLimits = {
  timeSeconds: 10,
  rowsRead: 200_000_000,
  memoryBytes: 512 * 1024 * 1024,
  resultRows: 1_000_000,
  resultBytes: 20_000_000,
  queryBytes: 64 * 1024,
  /** Queries of one page that run at a time, and that wait for their turn, on one instance of the service. */
  runningPerPage: 2,
  waitingPerPage: 4,
} as const;

/**
 * Settings of the user. `readonly` 1 means that neither a query nor a request can change any of them.
 */
export const sqlUserSettings = {
  readonly: 1,
  allow_get_client_http_header: 1,
  max_execution_time: sqlLimits.timeSeconds,
  timeout_overflow_mode: 'throw',
  max_rows_to_read: sqlLimits.rowsRead,
  read_overflow_mode: 'throw',
  max_memory_usage: sqlLimits.memoryBytes,
  max_result_rows: sqlLimits.resultRows,
  max_result_bytes: sqlLimits.resultBytes,
  result_overflow_mode: 'throw',
  max_threads: 2,
  // Time is looked at between blocks: smaller ones stop sooner.
  max_block_size: 8192,
  max_concurrent_queries_for_user: 20,
  // A sort or an aggregation that outgrows its memory fails instead of filling the server's disk.
  max_bytes_ratio_before_external_group_by: 0,
  max_bytes_ratio_before_external_sort: 0,
  cancel_http_readonly_queries_on_client_close: 1,
  // Rows read, as JSON reports them, count neighbouring pages' rows of the same granule.
  output_format_write_statistics: 0,
  // Neither cache is keyed by the page.
  use_query_cache: 0,
  use_query_condition_cache: 0,
  // Analysis and constant folding cannot be interrupted, so what they may cost is bounded by size.
  max_subquery_depth: 20,
  max_expanded_ast_elements: 50_000,
  function_range_max_elements_in_block: 1_000_000,
  max_parser_depth: 500,
  max_parser_backtracks: 100_000,
  session_timezone: 'UTC',
  // The embedded engine's own defaults differ from the server's here.
  allow_introspection_functions: 0,
  implicit_select: 0,
} as const satisfies Record<string, string | number>;

/** And those that it has on a cluster. */
export const clusterSqlUserSettings = {
  ...sqlUserSettings,
  // Without rows of a shard that is away an answer would be wrong.
  skip_unavailable_shards: 0,
  // A subquery reads all shards, too.
  distributed_product_mode: 'global',
} as const satisfies Record<string, string | number>;
