import { openPageSql } from '../analytics/sql/open-page-sql.js';
import type { PageSqlDeps } from '../analytics/sql/run-sql.js';
import type { Log } from '../lib/log.js';
import { sqlUserPassword } from '../lib/secret-box.js';
import { type ClusterAddress, onEachServer } from '../sql/cluster-servers.js';
import { ConfineError, confineSqlUser } from '../sql/confine-sql-user.js';
import { migrate } from '../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../sql/open-postgres.js';
import type { Closers, ServiceOptions } from './options.js';

export type OpenStores = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  /** For inserts only. */
  ingestClickhouse: ClickHouseClient;
  /** Runs the SQL of pages. */
  pageSql: PageSqlDeps;
};

/** Opens both stores and migrates them. */
export async function openStores(options: ServiceOptions, closers: Closers): Promise<OpenStores> {
  const { log, clickhouseUrl, clickhouseCluster, secretKey } = options;
  const cluster =
    clickhouseCluster === undefined ? undefined : { name: clickhouseCluster, url: clickhouseUrl };
  const sql = openPostgres(options.databaseUrl);
  closers.push(() => sql.end({ timeout: 5 }));
  await ensureDatabase(clickhouseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  // Has its own connections, so that slow reads cannot delay an insert.
  const ingestClickhouse = openClickHouse(clickhouseUrl, { max: 2 });
  const pageSql = openPageSql({ clickhouseUrl, clickhouse, secretKey, cluster: cluster?.name });
  closers.push(() =>
    Promise.all([clickhouse, ingestClickhouse, pageSql.sqlClient].map((client) => client.close())),
  );
  await migrate({ sql, clickhouse, cluster, log });
  if (options.makeSqlUser) await makeSqlUser(pageSql, { secretKey, cluster, log });
  return { sql, clickhouse, ingestClickhouse, pageSql };
}

/** Creates the user that runs the SQL of pages. When that fails, only SQL is unavailable, and the log says why. */
async function makeSqlUser(
  { clickhouse, database }: PageSqlDeps,
  { secretKey, cluster, log }: { secretKey: string; cluster: ClusterAddress | undefined; log: Log },
): Promise<void> {
  const user = { database, password: sqlUserPassword(secretKey), onCluster: cluster !== undefined };
  try {
    if (cluster === undefined) await confineSqlUser({ clickhouse }, user);
    else await onEachServer({ clickhouse, cluster }, (server) => confineSqlUser(server, user));
  } catch (error) {
    if (!(error instanceof ConfineError)) throw error;
    log.warn({}, error.message);
  }
}
