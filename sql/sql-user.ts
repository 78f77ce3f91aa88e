import { createHmac } from 'node:crypto';

/**
 * Password of the ClickHouse user that runs a page's SQL: HMAC-SHA256 of a fixed text under the secret key, in
 * hex. Every instance with the same key knows it, and nothing has to be stored.
 */
export function sqlUserPassword(secretKey: string): string {
  return createHmac('sha256', secretKey).update('clickhouse-sql-user').digest('hex');
}
