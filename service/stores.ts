import { openPageSql } from '../analytics/sql/open-page-sql.js';
import type { PageSqlDeps } from '../analytics/sql/run-sql.js';
import { queryPriorities } from '../contract/sql-tables.js';
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
  /** For what events and the checks of keys need, so that they wait for nothing else. */
  namesSql: Sql;
  /** For what requests without a key read and write. */
  publicSql: Sql;
  publicClickhouse: ClickHouseClient;
  /** For inserts only. */
  ingestClickhouse: ClickHouseClient;
  /** For `/readyz` only: no tenant can keep these connections busy, so none can make an instance look unavailable. */
  readinessSql: Sql;
  readinessClickhouse: ClickHouseClient;
  /** Runs the SQL of pages. */
  pageSql: PageSqlDeps;
};

/**
 * Connections of one process to PostgreSQL; `loops` are those of the background loops. Together 23, so that the eight
 * processes that may share a port take 184 of the 200 connections of the embedded PostgreSQL. The others are for the
 * command line.
 */
export const postgresConnections = { main: 8, names: 4, public: 6, loops: 4, readiness: 1 } as const;
/** Connections of one process to ClickHouse, besides those that run the SQL of pages. */
const clickhouseConnections = { main: 10, ingest: 2, public: 6, readiness: 2 } as const;

/** Opens both stores and migrates them. */
export async function openStores(options: ServiceOptions, closers: Closers): Promise<OpenStores> {
  const { log, clock, clickhouseUrl, clickhouseCluster, secretKey } = options;
  const cluster =
    clickhouseCluster === undefined ? undefined : { name: clickhouseCluster, url: clickhouseUrl };
  const openPool = (max: number) => openPostgres(options.databaseUrl, { max });
  const sql = openPool(postgresConnections.main);
  const namesSql = openPool(postgresConnections.names);
  const publicSql = openPool(postgresConnections.public);
  const readinessSql = openPool(postgresConnections.readiness);
  const pools = [sql, namesSql, publicSql, readinessSql];
  closers.push(() => Promise.all(pools.map((pool) => pool.end({ timeout: 5 }))));
  await ensureDatabase(clickhouseUrl);
  const openClient = (max: number, priority: number) => openClickHouse(clickhouseUrl, { max, priority });
  const clickhouse = openClient(clickhouseConnections.main, queryPriorities.usual);
  // Has its own connections, so that slow reads cannot delay an insert.
  const ingestClickhouse = openClient(clickhouseConnections.ingest, queryPriorities.inserts);
  const publicClickhouse = openClient(clickhouseConnections.public, queryPriorities.public);
  // With the priority of inserts, because queries with a higher number pause while others run.
  const readinessClickhouse = openClient(clickhouseConnections.readiness, queryPriorities.inserts);
  const pageSql = openPageSql({ clickhouseUrl, clickhouse, secretKey, cluster: cluster?.name, clock });
  const clients = [clickhouse, ingestClickhouse, publicClickhouse, readinessClickhouse, pageSql.sqlClient];
  closers.push(() => Promise.all(clients.map((client) => client.close())));
  await migrate({ sql, clickhouse, cluster, log });
  if (options.makeSqlUser) await makeSqlUser(pageSql, { secretKey, cluster, log });
  return {
    ...{ sql, namesSql, publicSql, readinessSql },
    ...{ clickhouse, ingestClickhouse, publicClickhouse, readinessClickhouse },
    pageSql,
  };
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
