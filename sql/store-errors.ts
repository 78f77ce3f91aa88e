import { ClickHouseError } from '@clickhouse/client';
import { QueryTimeout } from './query-timeout.js';

/** Codes of the system and of the driver: the server cannot be reached, or the connection to it has ended. */
const connectionCodes: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'EPERM'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
]);

/** SQLSTATE of a server that shuts down, has crashed, starts, or has no connection left. */
const stateForm = /^(08\w{3}|57P0[123]|53300)$/;

/** Whether a query failed because PostgreSQL is unavailable or silent. The same query may succeed later. */
export function isPostgresLost(error: unknown): boolean {
  if (error instanceof QueryTimeout) return true;
  if (!(error instanceof Error) || !('code' in error)) return false;
  return connectionCodes.has(error.code) || stateForm.test(String(error.code));
}

/**
 * ATTEMPT_TO_READ_AFTER_EOF, DNS_ERROR, SOCKET_TIMEOUT, NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, ALL_REPLICAS_LOST:
 * the answers of a server when another server of its cluster does not answer.
 */
const clusterCodes: ReadonlySet<string> = new Set(['32', '198', '209', '210', '279', '415']);

/** Whether a query failed because a part of the ClickHouse cluster is unavailable. It may succeed later. */
export function isServerLost(error: unknown): boolean {
  return error instanceof ClickHouseError && clusterCodes.has(error.code);
}

/** SQLSTATE of a transaction that PostgreSQL ended for the sake of another one: serialization_failure, deadlock_detected. */
const conflictState = /^40(001|P01)$/;

/** Whether PostgreSQL has rolled a transaction back because of another one. The same transaction may succeed at once. */
export function isTransactionConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && conflictState.test(String(error.code));
}

/** SQLSTATE of a text, or a text within jsonb, that cannot be stored: character_not_in_repertoire, untranslatable_character. */
const textState = /^22(021|P05)$/;

/** Whether PostgreSQL has refused a query for a character in one of its texts. In well-formed text only U+0000 is such. */
export function isTextRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && textState.test(String(error.code));
}
