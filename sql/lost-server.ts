import { ClickHouseError } from '@clickhouse/client';

/**
 * ATTEMPT_TO_READ_AFTER_EOF, DNS_ERROR, SOCKET_TIMEOUT, NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, ALL_REPLICAS_LOST:
 * what a server answers when another one of its cluster does not.
 */
const codes: ReadonlySet<string> = new Set(['32', '198', '209', '210', '279', '415']);

/** Whether the answer says that a part of the cluster is away; asked again later it may be another one. */
export function isServerLost(error: unknown): boolean {
  return error instanceof ClickHouseError && codes.has(error.code);
}
