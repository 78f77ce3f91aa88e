import type { ClickHouseClient } from '@clickhouse/client';
import { sqlUserName } from '../../contract/sql-tables.js';
import type { Log } from '../../lib/log.js';
import { sqlUserPassword } from '../../lib/secret-box.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { createPageTurns } from './page-turns.js';
import type { PageSqlDeps } from './run-sql.js';

export type PageSqlOptions = {
  /** The URL of the service's own user. The confined user has the same server and database. */
  clickhouseUrl: string;
  /** The service's own client. */
  clickhouse: ClickHouseClient;
  secretKey: string;
  /** Whether the tables are spread over a cluster. */
  onCluster?: boolean;
  log: Log;
};

const connectionsMax = 16;

/**
 * Returns what runPageSql() needs, with a client of the confined user. Connects with the first query. Close it with
 * `sqlClient.close()`.
 */
export function openPageSql(options: PageSqlOptions): PageSqlDeps {
  const { clickhouseUrl, clickhouse, secretKey, onCluster = false, log } = options;
  const url = new URL(clickhouseUrl);
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default';
  url.username = encodeURIComponent(sqlUserName(database));
  url.password = sqlUserPassword(secretKey);
  const sqlClient = openClickHouse(url.href, { max: connectionsMax, readOnly: true });
  return { sqlClient, clickhouse, database, onCluster, turns: createPageTurns(), log };
}
