import type { Context } from 'koa';
import { doorRevision } from '../../analytics/sql/door-functions.js';
import { checkSetting } from '../../analytics/sql/door-settings.js';
import { checkDatabase } from '../../analytics/sql/door-statements.js';
import type { SqlWire } from '../../analytics/sql/run-sql.js';
import { sqlLimits } from '../../contract/sql-tables.js';
import { ServiceError } from '../../lib/service-error.js';

/** A query as ClickHouse's HTTP interface takes it. */
export type ToolRequest = {
  statement: string;
  /** Values of its parameters, by their names without `param_`. */
  parameters: ReadonlyMap<string, string>;
  /** The format where the statement names none. */
  defaultFormat: string;
  wire: SqlWire;
  /** Whether the answer may be compressed as the header Accept-Encoding says. */
  mayCompress: boolean;
};

/**
 * Parameters of the interface that are no settings, and change nothing here: they name a query or a session for a log or
 * for statements that follow, of which each stands for itself here, or say how ClickHouse buffers its answer.
 */
const ignored: ReadonlySet<string> = new Set([
  ...['query', 'user', 'password', 'default_format', 'query_id', 'quota_key', 'stacktrace'],
  ...['session_id', 'session_timeout', 'session_check', 'close_session'],
  ...['wait_end_of_query', 'buffer_size', 'http_zlib_compression_level', 'enable_http_compression'],
]);
/** Parameters of the interface that are read on their own. */
const read: ReadonlySet<string> = new Set(['database', 'compress', 'decompress', 'client_protocol_version']);
const prefix = 'param_';
const truth = /^(1|true)$/;
/** UNKNOWN_COMPRESSION_METHOD of ClickHouse. */
const compressionCode = 89;

/**
 * Reads a query from the query string and the body, which follow each other with a line feed between.
 *
 * @throws ServiceError as ClickHouse answers a read-only user: for a setting that would change an answer, and for
 *   another database
 */
export function readRequest(
  ctx: Context,
  query: URLSearchParams,
  { body, database }: { body: Buffer | undefined; database: string },
): ToolRequest {
  const parameters = new Map<string, string>();
  for (const [name, value] of query) {
    if (name.startsWith(prefix)) parameters.set(name.slice(prefix.length), value);
    else if (!ignored.has(name) && !read.has(name)) checkSetting(name, value);
  }
  checkDatabase(query.get('database') ?? ctx.get('x-clickhouse-database'), database);
  if (truth.test(query.get('decompress') ?? '')) {
    const message = 'Blocks of ClickHouse are not taken; compress the query as Content-Encoding says.';
    throw new ServiceError('invalidBody', { message, storeCode: compressionCode });
  }
  const statement = [query.get('query') ?? '', body?.toString() ?? ''].filter(Boolean).join('\n');
  if (Buffer.byteLength(statement) > sqlLimits.queryBytes) throw new ServiceError('bodyTooLarge');
  return {
    statement,
    parameters,
    defaultFormat: query.get('default_format') ?? (ctx.get('x-clickhouse-format') || 'TabSeparated'),
    wire: wireOf(query),
    mayCompress: truth.test(query.get('enable_http_compression') ?? ''),
  };
}

function wireOf(query: URLSearchParams): SqlWire {
  const version = Number(query.get('client_protocol_version') ?? 0);
  return {
    ...(truth.test(query.get('compress') ?? '') && { compress: 1 as const }),
    ...(Number.isInteger(version) &&
      version > 0 && { client_protocol_version: Math.min(version, doorRevision) }),
  };
}
