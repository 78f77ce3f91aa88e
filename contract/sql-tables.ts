/**
 * The rights and limits of the confined SQL user. The users file of the embedded server, the statements for other
 * servers, the check of a query and docs/sql.md all follow these lists.
 */

/** Tables that the SQL of a page reads as they are stored. Each is filtered to the rows of the page. */
export const readableTables = [
  'requests_minute',
  'requests_hour',
  'service_requests_minute',
  'service_requests_hour',
  'service_requests_day',
  'page_requests_minute',
  'page_requests_hour',
  'page_requests_day',
  'endpoint_requests_day',
  'version_requests_hour',
  'messages',
  'failures',
  'reports',
  'pools_minute',
  'process_pools_minute',
  'pool_exporters_minute',
] as const;
export type ReadableTable = (typeof readableTables)[number];

/**
 * Tables of a page that are views: over tables whose rows of one key may not be merged yet, and over copies of what
 * PostgreSQL has.
 */
export const readableViews = [
  'monitors',
  'checks',
  'monitor_hours',
  'monitor_days',
  'points',
  'incidents',
  'incident_updates',
  'maintenance',
  'alerts',
  'deployments',
  'reporters',
] as const;
export type ReadableView = (typeof readableViews)[number];

/** Returns the name of a view in ClickHouse, where a stored table has the name that pages use: `sql_checks` for `checks`. */
export function storedView(view: ReadableView): string {
  return `sql_${view}`;
}

/** Tables that the views read with the rights and the row filters of the confined user. */
export const tablesOfViews: readonly string[] = ['checks', 'monitor_hours', 'monitor_days', 'copies'];

/** The confined user may read each of these, filtered to the rows of the page. */
export const filteredTables: readonly string[] = [...readableTables, ...tablesOfViews];

/** The confined user may read these as well. They have no filter of their own: they show what the tables behind them do. */
export const grantedViews: readonly string[] = readableViews.map(storedView);

/** The rights of the confined user, for servers that are started with it. */
export const readerRights = { readerTables: filteredTables, readerViews: grantedViews } as const;

/**
 * Returns the name of the ClickHouse user that runs the SQL of pages: `heartline_sql` for the database `heartline`. The
 * password of the user is derived from the secret key.
 */
export function sqlUserName(database: string): string {
  return `${database}_sql`;
}

/** Header of a request to ClickHouse in which the service names the page whose rows the query may see. */
export const pageHeader = 'X-Heartline-Page';

/** Row filter of every readable table. It keeps no row when the header is missing or is not a UUID. */
export const pageRowFilter = `page_id = toUUIDOrNull(getClientHTTPHeader('${pageHeader}'))`;

/** Returns the table with the rows of one server of a cluster: `requests_minute_local` for `requests_minute`. */
export function localTable(table: string): string {
  return `${table}_local`;
}

/** Table that the confined user may also read on a cluster. It shows the user as whom each shard runs the query. */
export const shardUsersTable = 'shard_users';

/** Query id that names the page to every server of a cluster: a header reaches only the first server. */
export function pageQueryId(pageId: string, random: string): string {
  return `sql-${pageId}-${random}`;
}

/** Row filter of every local table behind a readable one. A query id of another form keeps no row. */
export const clusterRowFilter = "page_id = toUUIDOrNull(substring(initialQueryID(), length('sql-') + 1, 36))";

/** Limits of one query of a page. A query over a limit fails; no result is cut. */
export const sqlLimits = {
  timeSeconds: 10,
  rowsRead: 200_000_000,
  memoryBytes: 512 * 1024 * 1024,
  resultRows: 1_000_000,
  resultBytes: 20_000_000,
  queryBytes: 64 * 1024,
  /**
   * Calls of functions and operators in a statement. ClickHouse does not look at the time between the calls on one
   * block: 100 nested hashes of 100,000 texts took 16 s on a busy core.
   */
  functions: 300,
  /** Tables that a statement names. ClickHouse took 7 s to analyse 2,500 of them. */
  tables: 100,
  /** Elements that `range` makes for a block of rows. ClickHouse cannot stop inside a call on a large array. */
  rangeElements: 100_000,
  /** Queries of one page that run, and that wait, on one process of the service. */
  runningPerPage: 2,
  waitingPerPage: 4,
} as const;

/**
 * ClickHouse pauses a query between two blocks of rows, for a second at most, while one with a smaller number runs. So
 * what tenants ask for leaves the processor to events and public pages.
 */
export const queryPriorities = { inserts: 1, public: 2, usual: 5, pageSql: 10 } as const;

/** ClickHouse compresses Arrow otherwise, and apache-arrow for JavaScript has no decompressor. */
export const arrowSettings = { output_format_arrow_compression_method: 'none' } as const;

/**
 * Settings of the user. With `readonly` 1, neither a query nor a request can change a setting.
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
  priority: queryPriorities.pageSql,
  // A query that cannot be stopped holds one core.
  max_threads: 1,
  // The engine checks the time between blocks: queries with small blocks stop sooner.
  max_block_size: 8192,
  max_concurrent_queries_for_user: 20,
  // A sort or an aggregation that exceeds its memory fails instead of filling the disk of the server.
  max_bytes_ratio_before_external_group_by: 0,
  max_bytes_ratio_before_external_sort: 0,
  cancel_http_readonly_queries_on_client_close: 1,
  // The numbers of rows in JSON answers would include rows of other pages in the same granule.
  output_format_write_statistics: 0,
  ...arrowSettings,
  // The keys of these caches do not include the page.
  use_query_cache: 0,
  use_query_condition_cache: 0,
  // Analysis and constant folding cannot be interrupted, so limits of size bound their cost.
  max_subquery_depth: 20,
  max_expanded_ast_elements: 50_000,
  function_range_max_elements_in_block: sqlLimits.rangeElements,
  max_parser_depth: 500,
  max_parser_backtracks: 100_000,
  session_timezone: 'UTC',
  // The embedded engine and a server have different defaults here.
  allow_introspection_functions: 0,
  implicit_select: 0,
} as const satisfies Record<string, string | number>;

/** Settings of the user on a cluster. */
export const clusterSqlUserSettings = {
  ...sqlUserSettings,
  // An answer without the rows of an unavailable shard would be wrong.
  skip_unavailable_shards: 0,
  // Subqueries must read all shards, too.
  distributed_product_mode: 'global',
} as const satisfies Record<string, string | number>;
