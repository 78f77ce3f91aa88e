import { openPageSql } from '../analytics/open-page-sql.js';
import type { PageSqlDeps } from '../analytics/run-sql.js';
import type { Clock } from '../contract/clock.js';
import type { Log } from '../contract/log.js';
import { sqlUserPassword } from '../contract/sql-user.js';
import { createEventStoreDirectory } from '../control/event-store-directory.js';
import { createKeyCache } from '../control/key-cache.js';
import { createClickHouseStore } from '../ingest/clickhouse-store.js';
import { startDelivery } from '../ingest/deliver-batches.js';
import { createDeliveryBuffer } from '../ingest/delivery-buffer.js';
import { createGroupCommit } from '../ingest/group-commit.js';
import { createNameRegistry } from '../ingest/name-registry.js';
import { createIngest } from '../ingest/pipeline.js';
import { createPoolReports } from '../ingest/pool-reports/accept.js';
import { startSchedule } from '../rollups/schedule.js';
import { ConfineError, confineSqlUser } from '../sql/confine-sql-user.js';
import { migrate } from '../sql/migrate.js';
import { ensureDatabase, openClickHouse } from '../sql/open-clickhouse.js';
import { openPostgres } from '../sql/open-postgres.js';
import { answerReadyFirst } from './answer-ready.js';
import { createApp } from './app.js';
import { listen } from './http-server.js';
import { jobs } from './jobs.js';
import { createMetrics } from './metrics.js';
import { loadAssets } from './page-assets.js';
import { createPageStores } from './page-stores.js';
import { createReadiness } from './readiness.js';
import { createOriginReader } from './request-origin.js';
import { createRoutes } from './routes.js';
import { startWorkers } from './workers.js';

export type ServiceOptions = {
  databaseUrl: string;
  clickhouseUrl: string;
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
};

export type Service = {
  /** Where it listens. */
  url: string;
  /** Answers what was accepted, then lets go of everything. */
  close(): Promise<void>;
};

const bodyTimeoutMsUsual = 15_000;
/** Longer than any pause that a store is waited for, so that an answer still reaches who waits for it. */
const closeGraceMs = 15_000;

/**
 * The composition root: opens both stores, migrates them, and puts the parts together.
 *
 * @throws MigrationError, and the errors of the drivers and of listening.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { url: await start(options, closers), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Pushes how to close each part behind it, so that they close in the opposite order. Answers the address. */
async function start(options: ServiceOptions, closers: (() => Promise<unknown>)[]): Promise<string> {
  const { clock, log, clickhouseUrl, secretKey } = options;
  const sql = openPostgres(options.databaseUrl);
  closers.push(() => sql.end({ timeout: 5 }));
  await ensureDatabase(clickhouseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  // Connections of its own, so that no number of slow reads can hold an insert up.
  const ingestClickhouse = openClickHouse(clickhouseUrl, { max: 2 });
  const pageSql = openPageSql({ clickhouseUrl, clickhouse, secretKey, log });
  closers.push(() =>
    Promise.all([clickhouse, ingestClickhouse, pageSql.sqlClient].map((client) => client.close())),
  );
  await migrate({ sql, clickhouse, log });
  if (options.makeSqlUser) await makeSqlUser(pageSql, secretKey);

  const metrics = createMetrics();
  const keys = createKeyCache({ sql, clock, log });
  closers.push(() => keys.stop());
  await keys.start();
  const store = createClickHouseStore(ingestClickhouse);
  const buffer = createDeliveryBuffer({ sql, clock, log }, 'default');
  const commit = createGroupCommit({ store, buffer, clock, log, metrics: metrics.commit });
  closers.push(() => commit.close());
  const directory = createEventStoreDirectory({ sql, log, secretKey });
  closers.push(() => directory.stop());
  await directory.start();
  const pageStores = createPageStores({
    ...{ sql, clock, log, directory },
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    metrics: metrics.commit,
    usual: { clickhouse, store, commit },
  });
  closers.push(() => pageStores.close());
  const { openStore, clickhouseOf } = pageStores;
  const delivery = startDelivery({ sql, clock, log, openStore });
  closers.push(() => delivery.stop());
  const schedule = startSchedule(jobs, { sql, clickhouse, clickhouseOf, clock, log });
  closers.push(() => schedule.stop());
  metrics.observeWaitingEvents(() => commit.waitingEvents);
  const registry = createNameRegistry({ sql, clock });
  const ingest = createIngest({
    ...{ registry, clock },
    commitOf: pageStores.commitOf,
    metrics: metrics.ingest,
  });

  const poolReports = createPoolReports({
    ...{ sql, clickhouse: ingestClickhouse, clock, log },
    metrics: metrics.poolReports,
  });
  closers.push(() => poolReports.close());

  let baseUrl = options.baseUrl?.href;
  const ready = createReadiness({ sql, clickhouse });
  const routes = createRoutes({
    sql,
    clickhouse,
    clock,
    log,
    ingest,
    poolReports,
    pageSql,
    pageStores,
    secretKey,
    metrics,
    ready,
    readOrigin: createOriginReader(options.trustedProxies ?? []),
    assets: await loadAssets(),
    baseUrl: () => baseUrl ?? '/',
  });
  const bodyTimeoutMs = options.bodyTimeoutMs ?? bodyTimeoutMsUsual;
  const app = createApp({ keys, log, metrics, routes, bodyTimeoutMs });
  const server = await listen(
    answerReadyFirst({ routes, metrics, log }, app.callback()),
    options.host,
    options.port,
  );
  closers.push(() => server.close(closeGraceMs));
  baseUrl ??= server.url;
  const workers = startWorkers({
    ...options,
    clickhouse,
    probeMetrics: metrics.probe,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    baseUrl: new URL(baseUrl),
  });
  closers.push(() => workers.stop());
  return server.url;
}

/** Without the user the service does all but SQL, which then answers 503. */
async function makeSqlUser({ clickhouse, database, log }: PageSqlDeps, secretKey: string): Promise<void> {
  try {
    await confineSqlUser({ clickhouse }, { database, password: sqlUserPassword(secretKey) });
  } catch (error) {
    if (!(error instanceof ConfineError)) throw error;
    log.warn({}, error.message);
  }
}
