import { ClickHouseError } from '@clickhouse/client';
import { ApiError } from '../contract/errors.js';
import { readableTables } from '../contract/sql-tables.js';

/** TIMEOUT_EXCEEDED, TOO_SLOW, TOO_MANY_ROWS, TOO_MANY_BYTES, SET_SIZE_LIMIT_EXCEEDED, MEMORY_LIMIT_EXCEEDED. */
const tooExpensive: ReadonlySet<string> = new Set(['159', '160', '158', '307', '191', '241']);
const resultTooLarge = '396';
const tooManyQueries = '202';
/** ACCESS_DENIED, DATABASE_ACCESS_DENIED, READONLY. */
const denied: ReadonlySet<string> = new Set(['497', '291', '164']);
/** UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, AUTHENTICATION_FAILED, UNKNOWN_DATABASE. */
const notSetUp: ReadonlySet<string> = new Set(['192', '193', '194', '516', '81']);
/** Faults of the server, whose messages speak of its insides: LOGICAL_ERROR, ABORTED and errors of files. */
const internal: ReadonlySet<string> = new Set([
  '49',
  '236',
  '74',
  '75',
  '76',
  '107',
  '210',
  '243',
  '999',
  '1001',
  '1002',
]);

const messageCharsMax = 500;

/**
 * What the caller of a query is told of the error that it ended with. `shift` is how many characters the
 * executed text has before the caller's.
 */
export function toSqlError(error: unknown, shift: number): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof ClickHouseError)) {
    // The client's own timeout is longer than the query's: the query was inside of one call that cannot stop.
    const timedOut = error instanceof Error && error.message === 'Timeout error.';
    return new ApiError(timedOut ? 'sqlTooExpensive' : 'storeUnavailable');
  }
  if (tooExpensive.has(error.code)) return new ApiError('sqlTooExpensive');
  if (error.code === resultTooLarge) return new ApiError('sqlResultTooLarge');
  if (error.code === tooManyQueries) {
    return new ApiError('rateLimited', 'Too many queries are running; retry later.', { 'Retry-After': '5' });
  }
  if (notSetUp.has(error.code)) {
    return new ApiError(
      'storeUnavailable',
      'SQL is not set up on this ClickHouse server; docs/sql.md says how.',
    );
  }
  if (denied.has(error.code)) {
    return new ApiError('invalidSql', `Only ${readableTables.join(', ')} can be read, without SETTINGS.`);
  }
  if (internal.has(error.code)) return new ApiError('invalidSql', 'ClickHouse could not run this query.');
  return new ApiError('invalidSql', describe(error.message, shift));
}

/** The server's message without what it adds about its own insides. */
function describe(message: string, shift: number): string {
  const text = message
    .replace(/\(version [^)]*\)/g, '')
    .replace(/[:,.]? ?(In scope|while executing|While processing|While executing|in query) [\s\S]*$/, '')
    .replace(
      /\b(failed at position )(\d+)/,
      (_, words: string, at: string) => words + Math.max(1, Number(at) - shift),
    )
    .replace(/ \(line 1, col \d+\)/, '')
    .replace(/\b__table\d+\./g, '')
    .replace(/(?:\/[\w.@+-]+){2,}/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > messageCharsMax ? `${text.slice(0, messageCharsMax)}…` : text;
}
