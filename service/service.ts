import type { Registry } from 'prom-client';
import { openPageSql } from '../analytics/sql/open-page-sql.js';
import type { PageSqlDeps } from '../analytics/sql/run-sql.js';
import { createListener } from '../api/app.js';
import { listen } from '../api/http-server.js';
import { loadAssets } from '../api/public/assets.js';
import { createOriginParser } from '../api/request-origin.js';
import { healthRoutes } from '../api/routes/health.js';
import { createRoutes } from '../api/routes.js';
import { createEventStoreDirectory } from '../control/event-stores/index.js';
import { createKeyCache } from '../control/keys/index.js';
import { createPoolReports, type PoolReports } from '../database-health/pool-reports/pool-reports.js';
import { startDelivery } from '../ingest/buffer/deliver-batches.js';
import { createDeliveryBuffer } from '../ingest/buffer/delivery-buffer.js';
import { createClickHouseStore } from '../ingest/commit/clickhouse-store.js';
import { createGroupCommit } from '../ingest/commit/group-commit.js';
import { createPageStores, type PageStores } from '../ingest/commit/page-stores.js';
import { createNameRegistry } from '../ingest/names/name-registry.js';
import { createIngest, type Ingest } from '../ingest/pipeline.js';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { sqlUserPassword } from '../lib/secret-box.js';
import { type ClusterAddress, onEachServer } from '../sql/cluster-servers.js';
import { ConfineError, confineSqlUser } from '../sql/confine-sql-user.js';
import { migrate } from '../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../sql/open-postgres.js';
import { startWorkers } from './background-loops.js';
import { loadBacklogs } from './backlogs.js';
import { roles as everyRole, type Role } from './config.js';
import { jobs } from './jobs/jobs.js';
import { startSchedule } from './jobs/schedule.js';
import { createMetrics, type Metrics, type ReadMetrics } from './metrics.js';
import { observeBacklogs } from './observe-backlogs.js';
import { createReadiness } from './readiness.js';

export type ServiceOptions = {
  databaseUrl: string;
  clickhouseUrl: string;
  /** Name of the cluster over which the tables are spread; `clickhouseUrl` is that of one of its servers. */
  clickhouseCluster?: string;
  secretKey: string;
  /**
   * Whether to make the ClickHouse user that runs the SQL of pages, as on a server of the operator's own; the
   * embedded one has it.
   */
  makeSqlUser?: boolean;
  host: string;
  port: number;
  /** What the description of the API gives as its address; by default the one that is listened on. */
  baseUrl?: URL;
  clock: Clock;
  log: Log;
  /** Proxies whose X-Forwarded-For and X-Forwarded-Host are believed; none when not given. */
  trustedProxies?: readonly string[];
  /** Where email goes out; none is sent without it. */
  smtpUrl?: string;
  /** A LibreTranslate server; texts stay in one language without it. */
  translateUrl?: string;
  /** Whether requests that tenants configure may go to private addresses; not when not given. */
  allowPrivateAddresses?: boolean;
  /** How long a request body may take to arrive; 15 s when not given. */
  bodyTimeoutMs?: number;
  /** What this process does; everything when not given. */
  roles?: ReadonlySet<Role>;
  /** What /metrics shows, given what this process has: of all processes that share the port. */
  readMetrics?: ReadMetrics | undefined;
};

export type Service = {
  /** Where it listens. */
  url: string;
  /** Of this process. */
  metrics: Registry;
  /** Answers what was accepted, then lets go of everything. */
  close(): Promise<void>;
};

type Closers = (() => Promise<unknown>)[];

const bodyTimeoutMsUsual = 15_000;
/** Longer than any pause that a store is waited for, so that an answer still reaches who waits for it. */
const closeGraceMs = 15_000;

/**
 * The composition root: opens both stores, migrates them, and puts the parts together.
 *
 * @throws MigrationError, and the errors of the drivers and of listening.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const metrics = createMetrics();
    const url = await start(options, metrics, closers);
    return { url, metrics: metrics.registry, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Pushes how to close each part behind it, so that they close in the opposite order. Answers the address. */
async function start(options: ServiceOptions, metrics: Metrics, closers: Closers): Promise<string> {
  const { clock, log, secretKey, roles = new Set(everyRole) } = options;
  const stores = await openStores(options, closers);
  const { sql, clickhouse } = stores;
  observeBacklogs({ registry: metrics.registry, load: () => loadBacklogs({ sql, clock }), clock, log });
  const events = await startEvents(options, { ...stores, metrics, roles }, closers);
  if (roles.has('jobs')) {
    const { clickhouseOf } = events.pageStores;
    const schedule = startSchedule(jobs, { sql, clickhouse, clickhouseOf, clock, log });
    closers.push(() => schedule.stop());
  }
  let baseUrl = options.baseUrl?.href;
  const { registry } = metrics;
  const health = {
    checkReadiness: createReadiness({ sql, clickhouse }),
    renderMetrics: async () => ({
      contentType: registry.contentType,
      text: await (options.readMetrics?.(registry) ?? registry.metrics()),
    }),
  };
  const keys = createKeyCache({ sql, clock, log });
  closers.push(() => keys.stop());
  await keys.start();
  const served = roles.has('api')
    ? createRoutes({
        ...{ ...stores, ...events, ...health, clock, log, secretKey },
        parseOrigin: createOriginParser(options.trustedProxies ?? []),
        assets: await loadAssets(),
        baseUrl: () => baseUrl ?? '/',
      })
    : { routes: healthRoutes(health) };
  const bodyTimeoutMs = options.bodyTimeoutMs ?? bodyTimeoutMsUsual;
  const listener = createListener({ keys, log, metrics, ...served, bodyTimeoutMs });
  const server = await listen(listener, options.host, options.port);
  closers.push(() => server.close(closeGraceMs));
  baseUrl ??= server.url;
  const workers = startWorkers({
    ...{ ...options, roles, clickhouse },
    probeMetrics: metrics.probe,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    baseUrl: new URL(baseUrl),
  });
  closers.push(() => workers.stop());
  return server.url;
}

type OpenStores = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  ingestClickhouse: ClickHouseClient;
  pageSql: PageSqlDeps;
};

/** Both stores, migrated. */
async function openStores(options: ServiceOptions, closers: Closers): Promise<OpenStores> {
  const { log, clickhouseUrl, clickhouseCluster, secretKey } = options;
  const cluster =
    clickhouseCluster === undefined ? undefined : { name: clickhouseCluster, url: clickhouseUrl };
  const sql = openPostgres(options.databaseUrl);
  closers.push(() => sql.end({ timeout: 5 }));
  await ensureDatabase(clickhouseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  // Connections of its own, so that no number of slow reads can hold an insert up.
  const ingestClickhouse = openClickHouse(clickhouseUrl, { max: 2 });
  const onCluster = cluster !== undefined;
  const pageSql = openPageSql({ clickhouseUrl, clickhouse, secretKey, onCluster, log });
  closers.push(() =>
    Promise.all([clickhouse, ingestClickhouse, pageSql.sqlClient].map((client) => client.close())),
  );
  await migrate({ sql, clickhouse, cluster, log });
  if (options.makeSqlUser) await makeSqlUser(pageSql, secretKey, cluster);
  return { sql, clickhouse, ingestClickhouse, pageSql };
}

type Events = { ingest: Ingest; poolReports: PoolReports; pageStores: PageStores };

/** The way of events and pool reports to their stores, and the delivery of what waits for one. */
async function startEvents(
  { clock, log, secretKey, allowPrivateAddresses = false }: ServiceOptions,
  deps: OpenStores & { metrics: Metrics; roles: ReadonlySet<Role> },
  closers: Closers,
): Promise<Events> {
  const { sql, clickhouse, ingestClickhouse, metrics, roles } = deps;
  const store = createClickHouseStore(ingestClickhouse);
  const buffer = createDeliveryBuffer({ sql, clock, log }, 'default');
  const commit = createGroupCommit({ store, buffer, log, metrics: metrics.commit });
  closers.push(() => commit.close());
  metrics.observeWaitingEvents(() => commit.waitingEvents);
  const directory = createEventStoreDirectory({ sql, log, secretKey });
  closers.push(() => directory.stop());
  await directory.start();
  const pageStores = createPageStores({
    ...{ sql, clock, log, ownStoreOf: directory.get, allowPrivateAddresses },
    metrics: metrics.commit,
    usual: { clickhouse, store, commit },
  });
  closers.push(() => pageStores.close());
  if (roles.has('deliver')) {
    const delivery = startDelivery({ sql, clock, log, openStore: pageStores.openStore });
    closers.push(() => delivery.stop());
  }
  const ingest = createIngest({
    registry: createNameRegistry({ sql, clock }),
    commitOf: pageStores.commitOf,
    ...{ clock, metrics: metrics.ingest },
  });
  const poolReports = createPoolReports({
    ...{ sql, clickhouse: ingestClickhouse, clock, log },
    metrics: metrics.poolReports,
  });
  closers.push(() => poolReports.close());
  return { ingest, poolReports, pageStores };
}

/** Without the user the service does all but SQL, which then answers 503. */
async function makeSqlUser(
  { clickhouse, database, onCluster, log }: PageSqlDeps,
  secretKey: string,
  cluster: ClusterAddress | undefined,
): Promise<void> {
  const user = { database, password: sqlUserPassword(secretKey), onCluster };
  try {
    if (cluster === undefined) await confineSqlUser({ clickhouse }, user);
    else await onEachServer({ clickhouse, cluster }, (server) => confineSqlUser(server, user));
  } catch (error) {
    if (!(error instanceof ConfineError)) throw error;
    log.warn({}, error.message);
  }
}
