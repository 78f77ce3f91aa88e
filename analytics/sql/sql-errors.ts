import { ClickHouseError } from '@clickhouse/client';
import { sqlLimits, sqlUserSettings } from '../../contract/sql-tables.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { isServerLost } from '../../sql/store-errors.js';
import { describeSqlError, type Statement } from './describe-sql-error.js';
import { locateRefusal, SqlRefusal } from './sql-refusal.js';

/**
 * TIMEOUT_EXCEEDED, TOO_SLOW, TOO_MANY_ROWS, TOO_MANY_BYTES, SET_SIZE_LIMIT_EXCEEDED, MEMORY_LIMIT_EXCEEDED,
 * QUERY_WAS_CANCELLED.
 */
const tooExpensive: ReadonlySet<string> = new Set(['159', '160', '158', '307', '191', '241', '394']);
const outOfBound = '69';
const resultTooLarge = '396';
const tooManyQueries = '202';
/** ACCESS_DENIED, DATABASE_ACCESS_DENIED, READONLY. */
const denied: ReadonlySet<string> = new Set(['497', '291', '164']);
/** UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, AUTHENTICATION_FAILED, UNKNOWN_DATABASE. */
const notSetUp: ReadonlySet<string> = new Set(['192', '193', '194', '516', '81']);
/**
 * Errors in the text of a query, found before a row is read. Only their messages are passed on: a message about a value
 * may show a value of another page, because ClickHouse applies some functions to the whole dictionary of a
 * LowCardinality column, which the row filter does not reach.
 */
const inText: ReadonlySet<string> = new Set([
  ...[
    '8',
    '10',
    '15',
    '16',
    '20',
    '34',
    '35',
    '42',
    '43',
    '44',
    '46',
    '47',
    '48',
    '50',
    '51',
    '53',
    '60',
    '62',
  ],
  ...['125', '162', '167', '168', '179', '184', '207', '215', '258', '306', '352', '386', '403', '456'],
]);

/** Returns the error that the caller of a query gets, with its place in the caller's text. */
export function toSqlError(error: unknown, statement: Statement): ServiceError {
  if (error instanceof SqlRefusal) return locateRefusal(statement.sql, statement.tokens, error);
  if (error instanceof ServiceError) return error;
  if (!(error instanceof ClickHouseError)) {
    // The client's timeout is longer than the query's: the query was inside a call that cannot be interrupted.
    const timedOut = error instanceof Error && error.message === 'Timeout error.';
    return timedOut ? new ServiceError('sqlTooExpensive') : storeUnavailable();
  }
  if (isServerLost(error) && !isInValue(error)) return storeUnavailable();
  if (tooExpensive.has(error.code)) return withCode(new ServiceError('sqlTooExpensive'), error);
  if (error.code === resultTooLarge) return new ServiceError('sqlResultTooLarge');
  if (error.code === tooManyQueries) {
    return new ServiceError('rateLimited', {
      message: 'Too many queries are running; retry later.',
      retryAfterSeconds: 5,
    });
  }
  if (error.code === outOfBound && error.message.includes('function range')) {
    return locateRefusal(statement.sql, statement.tokens, rangeTooLarge());
  }
  if (notSetUp.has(error.code)) return sqlNotSetUp();
  if (denied.has(error.code)) {
    return new ServiceError('invalidSql', {
      message: 'Only the tables that SHOW TABLES lists can be read, without SETTINGS.',
      storeCode: Number(error.code),
    });
  }
  if (inText.has(error.code)) return withCode(describeSqlError(error.message, statement), error);
  return new ServiceError('invalidSql', {
    message: `ClickHouse could not run this query: ${error.type ?? 'unknown error'}.`,
    storeCode: Number(error.code),
  });
}

/** Returns the error with the code that the server gave for it. */
function withCode({ kind, message, position }: ServiceError, { code }: ClickHouseError): ServiceError {
  return new ServiceError(kind, { message, position, storeCode: Number(code) });
}

/** Returns the error when the server does not list its queries: its administrator has to grant that to the service's user. */
export function toListError(cause: unknown): ServiceError {
  const isDenied = cause instanceof ClickHouseError && denied.has(cause.code);
  return isDenied ? sqlNotSetUp() : storeUnavailable(cause);
}

/** Without a cause, which would make a line in the log with a stack for each statement of a page. */
function sqlNotSetUp(): ServiceError {
  return new ServiceError('storeUnavailable', {
    message: 'SQL is not set up on this ClickHouse server; /docs/sql of the service says how.',
  });
}

/**
 * Whether a function met the end of a text: `toUInt8('')` gives the code of a connection that ended,
 * ATTEMPT_TO_READ_AFTER_EOF.
 */
function isInValue({ message }: ClickHouseError): boolean {
  return message.includes('Cannot parse');
}

function rangeTooLarge(): SqlRefusal {
  const max = sqlLimits.rangeElements.toLocaleString('en');
  return new SqlRefusal(
    `range makes more than ${max} elements here, counted over ${sqlUserSettings.max_block_size} rows`,
    'range',
    'Use numbers() for many rows, or WITH FILL for gaps.',
  );
}
