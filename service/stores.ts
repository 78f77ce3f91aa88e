import { openPageSql } from '../analytics/sql/open-page-sql.js';
import type { PageSqlDeps } from '../analytics/sql/run-sql.js';
import { queryPriorities } from '../contract/sql-tables.js';
import type { Log } from '../lib/log.js';
import { sqlUserPassword } from '../lib/secrets/secret-box.js';
import { type ClusterAddress, onEachServer } from '../sql/cluster-servers.js';
import { ConfineError, confineSqlUser } from '../sql/confine-sql-user.js';
import { migrate } from '../sql/migrate.js';
import {
  backgroundReadLimits,
  type ClickHouseClient,
  type ClickHouseLimits,
  ensureDatabase,
  openClickHouse,
  requestReadLimits,
} from '../sql/open-clickhouse.js';
import { backgroundLimits, openPostgres, requestLimits, type Sql, withLimits } from '../sql/open-postgres.js';
import type { Closers, ServiceOptions } from './options.js';

export type OpenStores = {
  /** For what requests with a key read and write. */
  sql: Sql;
  clickhouse: ClickHouseClient;
  /** For jobs, the delivery of the buffer and the background loops, which wait longer; `backgroundSql` shares connections with `sql`. */
  backgroundSql: Sql;
  backgroundClickhouse: ClickHouseClient;
  /** For what events and the checks of keys need, so that they wait for nothing else. */
  namesSql: Sql;
  /** For events that PostgreSQL acknowledges, so that slow requests and jobs do not delay them. */
  eventsSql: Sql;
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
 * Connections of one process to PostgreSQL; `loops` are for the background loops. Together 26, so that the eight
 * processes that may share a port take 208 of the 224 connections of the embedded PostgreSQL. The others are for the
 * command line.
 */
export const postgresConnections = {
  main: 8,
  names: 4,
  events: 3,
  public: 6,
  loops: 4,
  readiness: 1,
} as const;
/** Connections of one process to ClickHouse, besides the connections for the SQL of pages. */
const clickhouseConnections = {
  main: 10,
  background: 4,
  ingest: 2,
  public: 6,
  readiness: 2,
  sql: 4,
} as const;
/** For what surrounds the SQL of pages: its list of running queries takes milliseconds, so silence is noticed soon. */
const sqlControlLimits: ClickHouseLimits = { readSecondsMax: 2, silentMsMax: 2_500 };

/** Opens both stores and migrates them. */
export async function openStores(options: ServiceOptions, closers: Closers): Promise<OpenStores> {
  const { log, clock, clickhouseUrl, clickhouseCluster, secretKey } = options;
  const cluster =
    clickhouseCluster === undefined ? undefined : { name: clickhouseCluster, url: clickhouseUrl };
  const openPool = (max: number) => openPostgres(options.databaseUrl, { max, limits: requestLimits });
  const sql = openPool(postgresConnections.main);
  const namesSql = openPool(postgresConnections.names);
  const eventsSql = openPool(postgresConnections.events);
  const publicSql = openPool(postgresConnections.public);
  const readinessSql = openPool(postgresConnections.readiness);
  const backgroundSql = withLimits(sql, backgroundLimits);
  const pools = [sql, namesSql, eventsSql, publicSql, readinessSql];
  closers.push(() => Promise.all(pools.map((pool) => pool.end({ timeout: 5 }))));
  await ensureDatabase(clickhouseUrl);
  const openClient = (max: number, priority: number, limits: ClickHouseLimits = requestReadLimits) =>
    openClickHouse(clickhouseUrl, { max, priority, limits });
  const clickhouse = openClient(clickhouseConnections.main, queryPriorities.usual);
  const { background } = clickhouseConnections;
  const backgroundClickhouse = openClient(background, queryPriorities.usual, backgroundReadLimits);
  // Has its own connections, so that slow reads cannot delay an insert.
  const { ingest } = clickhouseConnections;
  const ingestClickhouse = openClient(ingest, queryPriorities.inserts, backgroundReadLimits);
  const publicClickhouse = openClient(clickhouseConnections.public, queryPriorities.public);
  // With the priority of inserts, because queries with a higher number pause while others run.
  const readinessClickhouse = openClient(clickhouseConnections.readiness, queryPriorities.inserts);
  const sqlControl = openClient(clickhouseConnections.sql, queryPriorities.usual, sqlControlLimits);
  const pageSql = openPageSql({
    clickhouseUrl,
    clickhouse: sqlControl,
    secretKey,
    cluster: cluster?.name,
    clock,
  });
  const clients = [
    ...[clickhouse, backgroundClickhouse, ingestClickhouse, publicClickhouse, readinessClickhouse],
    ...[sqlControl, pageSql.sqlClient],
  ];
  closers.push(() => Promise.all(clients.map((client) => client.close())));
  await migrate({ sql: backgroundSql, clickhouse: backgroundClickhouse, cluster, log });
  const { database } = pageSql;
  const setUp = { clickhouse: backgroundClickhouse, database };
  if (options.makeSqlUser) await makeSqlUser(setUp, { secretKey, cluster, log });
  return {
    ...{ sql, backgroundSql, namesSql, eventsSql, publicSql, readinessSql },
    ...{ clickhouse, backgroundClickhouse, ingestClickhouse, publicClickhouse, readinessClickhouse },
    pageSql,
  };
}

/** Creates the user that runs the SQL of pages. When that fails, only SQL is unavailable, and the log says why. */
async function makeSqlUser(
  { clickhouse, database }: Pick<PageSqlDeps, 'clickhouse' | 'database'>,
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
