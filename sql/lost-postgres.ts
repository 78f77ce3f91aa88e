/** Of the system and of the driver: the server cannot be reached, or the connection to it has ended. */
const connectionCodes: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
]);
/** SQLSTATE of a server that is shutting down, has crashed, is starting, or has no connection left. */
const stateForm = /^(08\w{3}|57P0[123]|53300)$/;

/** Whether PostgreSQL, rather than the query, is why a query failed; asked again later it may answer. */
export function isPostgresLost(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return connectionCodes.has(error.code) || stateForm.test(String(error.code));
}
