import type { ClickHouseClient } from '@clickhouse/client';
import { sqlUserName } from '../../contract/sql-tables.js';
import type { Clock } from '../../lib/clock.js';
import { sqlUserPasswords } from '../../lib/secrets/secret-box.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { createPageTurns } from './page-turns.js';
import type { PageSqlDeps } from './run-sql.js';
import { loadRunningQueries } from './running-queries.js';
import { createSqlSignIn } from './sql-sign-in.js';

export type PageSqlOptions = {
  /** The URL of the service's own user. The confined user has the same server and database. */
  clickhouseUrl: string;
  /** The service's own client. */
  clickhouse: ClickHouseClient;
  secretKey: string;
  /** Name of the cluster over which the tables are spread. */
  cluster?: string | undefined;
  clock: Clock;
};

const connectionsMax = 16;

/**
 * Returns the dependencies of runPageSql(), with a client of the confined user. Connects with the first query. Close it with
 * `sqlClient.close()`.
 */
export function openPageSql(options: PageSqlOptions): PageSqlDeps {
  const { clickhouseUrl, clickhouse, secretKey, cluster, clock } = options;
  const url = new URL(clickhouseUrl);
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default';
  url.username = encodeURIComponent(sqlUserName(database));
  const passwords = sqlUserPasswords(secretKey);
  url.password = passwords[0];
  const sqlClient = openClickHouse(url.href, { max: connectionsMax, readOnly: true });
  const turns = createPageTurns(
    (pageId, signal) => loadRunningQueries({ clickhouse, cluster }, pageId, signal),
    clock,
  );
  const signIn = createSqlSignIn(sqlUserName(database), passwords);
  return { sqlClient, signIn, clickhouse, cluster, database, turns };
}
