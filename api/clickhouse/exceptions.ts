import type { Context } from 'koa';
import { doorPath } from '../../contract/clickhouse.js';
import { type ErrorKind, errorRegistry } from '../../contract/errors.js';
import type { ServiceError } from '../../lib/service-error.js';

/** ClickHouse's errors by their code: the name, and the status of an answer. */
const exceptions: Readonly<Record<number, readonly [name: string, status: number]>> = {
  8: ['THERE_IS_NO_COLUMN', 400],
  10: ['NOT_FOUND_COLUMN_IN_BLOCK', 400],
  15: ['DUPLICATE_COLUMN', 400],
  16: ['NO_SUCH_COLUMN_IN_TABLE', 400],
  20: ['NUMBER_OF_COLUMNS_DOESNT_MATCH', 400],
  34: ['TOO_MANY_ARGUMENTS_FOR_FUNCTION', 400],
  35: ['TOO_FEW_ARGUMENTS_FOR_FUNCTION', 400],
  36: ['BAD_ARGUMENTS', 400],
  42: ['NUMBER_OF_ARGUMENTS_DOESNT_MATCH', 400],
  43: ['ILLEGAL_TYPE_OF_ARGUMENT', 400],
  44: ['ILLEGAL_COLUMN', 400],
  46: ['UNKNOWN_FUNCTION', 404],
  47: ['UNKNOWN_IDENTIFIER', 404],
  48: ['NOT_IMPLEMENTED', 501],
  50: ['UNKNOWN_TYPE', 404],
  51: ['EMPTY_LIST_OF_COLUMNS_QUERIED', 400],
  53: ['TYPE_MISMATCH', 400],
  60: ['UNKNOWN_TABLE', 404],
  62: ['SYNTAX_ERROR', 400],
  73: ['UNKNOWN_FORMAT', 404],
  81: ['UNKNOWN_DATABASE', 404],
  89: ['UNKNOWN_COMPRESSION_METHOD', 400],
  125: ['INCORRECT_RESULT_OF_SCALAR_SUBQUERY', 400],
  158: ['TOO_MANY_ROWS', 500],
  159: ['TIMEOUT_EXCEEDED', 408],
  160: ['TOO_SLOW', 500],
  162: ['TOO_DEEP_SUBQUERIES', 400],
  164: ['READONLY', 500],
  167: ['TOO_DEEP_AST', 400],
  168: ['TOO_BIG_AST', 400],
  179: ['MULTIPLE_EXPRESSIONS_FOR_ALIAS', 400],
  184: ['ILLEGAL_AGGREGATION', 400],
  191: ['SET_SIZE_LIMIT_EXCEEDED', 500],
  202: ['TOO_MANY_SIMULTANEOUS_QUERIES', 500],
  207: ['AMBIGUOUS_IDENTIFIER', 400],
  209: ['SOCKET_TIMEOUT', 503],
  210: ['NETWORK_ERROR', 503],
  215: ['NOT_AN_AGGREGATE', 400],
  241: ['MEMORY_LIMIT_EXCEEDED', 500],
  258: ['UNION_ALL_RESULT_STRUCTURES_MISMATCH', 400],
  291: ['DATABASE_ACCESS_DENIED', 403],
  306: ['TOO_DEEP_RECURSION', 400],
  307: ['TOO_MANY_BYTES', 500],
  352: ['AMBIGUOUS_COLUMN_NAME', 400],
  354: ['ZLIB_INFLATE_FAILED', 400],
  386: ['NO_COMMON_TYPE', 400],
  394: ['QUERY_WAS_CANCELLED', 500],
  396: ['TOO_MANY_ROWS_OR_BYTES', 500],
  403: ['INVALID_JOIN_ON_EXPRESSION', 400],
  456: ['UNKNOWN_QUERY_PARAMETER', 400],
  457: ['BAD_QUERY_PARAMETER', 400],
  497: ['ACCESS_DENIED', 403],
  516: ['AUTHENTICATION_FAILED', 403],
};
/** UNKNOWN_EXCEPTION */
const unknownCode = 1002;

/** Codes of errors that ClickHouse did not give. */
const codes: Readonly<Partial<Record<ErrorKind, number>>> = {
  invalidSql: 62,
  bodyTooLarge: 62,
  sqlTooExpensive: 159,
  sqlResultTooLarge: 396,
  rateLimited: 202,
  overloaded: 202,
  storeUnavailable: 210,
  shuttingDown: 210,
  bodyTimeout: 209,
  bodyEncoding: 354,
  contentEncoding: 89,
  capabilityUnavailable: 497,
  ownEventStore: 497,
  notFound: 48,
  methodNotAllowed: 48,
  notAllowed: 164,
  invalidBody: 62,
};
/** Kinds whose status tools act on, or which says more than the code: ClickHouse has 500 for some of them. */
const withOwnStatus: ReadonlySet<ErrorKind> = new Set([
  ...(['rateLimited', 'overloaded', 'storeUnavailable', 'shuttingDown'] as const),
  ...(['notFound', 'methodNotAllowed'] as const),
]);

/** Whether the errors at a path have ClickHouse's form. No page can have the name of the interface. */
export function hasExceptions(path: string): boolean {
  return path === doorPath || path.startsWith(`${doorPath}/`);
}

/**
 * Returns an error as ClickHouse writes it: the status, the code, and one line of text. A retry may cure errors with 429
 * and 503, which tools know.
 */
export function describeException(
  kind: ErrorKind,
  {
    message,
    hint,
    storeCode,
  }: { message: string; hint?: string | undefined; storeCode?: number | undefined },
): { status: number; code: number; text: string } {
  const code = storeCode ?? codes[kind] ?? unknownCode;
  const [name, status] = exceptions[code] ?? ['UNKNOWN_EXCEPTION', errorRegistry[kind].status];
  const said = [/[.:?]$/.test(message) ? message : `${message}.`, hint].filter(Boolean).join(' ');
  return {
    status: withOwnStatus.has(kind) ? errorRegistry[kind].status : status,
    ...{ code, text: `Code: ${code}. DB::Exception: ${said} (${name})\n` },
  };
}

/** Answers an error, or a defect, as ClickHouse does. */
export function answerException(ctx: Context, error: ServiceError | undefined): void {
  const { status, code, text } =
    error === undefined
      ? describeException('internal', errorRegistry.internal)
      : describeException(error.kind, error);
  ctx.status = status;
  ctx.set('x-clickhouse-exception-code', String(code));
  ctx.set('content-type', 'text/plain; charset=UTF-8');
  ctx.body = text;
}
