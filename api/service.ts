import { openPageSql } from '../analytics/open-page-sql.js';
import type { Clock } from '../contract/clock.js';
import type { Log } from '../contract/log.js';
import { createKeyCache } from '../control/key-cache.js';
import { createClickHouseStore } from '../ingest/clickhouse-store.js';
import { createGroupCommit } from '../ingest/group-commit.js';
import { createNameRegistry } from '../ingest/name-registry.js';
import { createIngest } from '../ingest/pipeline.js';
import { jobs } from '../rollups/jobs.js';
import { startSchedule } from '../rollups/schedule.js';
import { migrate } from '../sql/migrate.js';
import { ensureDatabase, openClickHouse } from '../sql/open-clickhouse.js';
import { openPostgres } from '../sql/open-postgres.js';
import { createApp } from './app.js';
import { listen } from './http-server.js';
import { createMetrics } from './metrics.js';
import { createReadiness } from './readiness.js';
import { createRoutes } from './routes.js';

export type ServiceOptions = {
  databaseUrl: string;
  clickhouseUrl: string;
  secretKey: string;
  host: string;
  port: number;
  /** What the description of the API gives as its address; by default the one that is listened on. */
  baseUrl?: URL;
  clock: Clock;
  log: Log;
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
  const { clock, log } = options;
  const sql = openPostgres(options.databaseUrl);
  await ensureDatabase(options.clickhouseUrl);
  const clickhouse = openClickHouse(options.clickhouseUrl);
  const metrics = createMetrics();
  await migrate({ sql, clickhouse, log });

  const keys = createKeyCache({ sql, clock, log });
  await keys.start();
  // Connections of its own, so that no number of slow reads can hold an insert up.
  const ingestClickhouse = openClickHouse(options.clickhouseUrl, { max: 2 });
  const commit = createGroupCommit({
    store: createClickHouseStore(ingestClickhouse),
    clock,
    log,
    metrics: metrics.commit,
  });
  metrics.observeWaitingEvents(() => commit.waitingEvents);
  const registry = createNameRegistry({ sql, clock });
  const ingest = createIngest({ registry, commit, clock, metrics: metrics.ingest });

  let baseUrl = options.baseUrl?.href;
  const { clickhouseUrl, secretKey } = options;
  const pageSql = openPageSql({ clickhouseUrl, clickhouse, secretKey, log });
  const routes = createRoutes({
    sql,
    clickhouse,
    clock,
    ingest,
    pageSql,
    metrics,
    ready: createReadiness({ sql, clickhouse }),
    baseUrl: () => baseUrl ?? '/',
  });
  const app = createApp({
    keys,
    log,
    metrics,
    routes,
    bodyTimeoutMs: options.bodyTimeoutMs ?? bodyTimeoutMsUsual,
  });
  const schedule = startSchedule(jobs, { sql, clickhouse, clock, log });
  const server = await listen(app.callback(), options.host, options.port);
  baseUrl ??= server.url;

  return {
    url: server.url,
    async close() {
      await server.close(closeGraceMs);
      await commit.close();
      await schedule.stop();
      await keys.stop();
      await Promise.all([clickhouse.close(), ingestClickhouse.close(), pageSql.sqlClient.close()]);
      await sql.end({ timeout: 5 });
    },
  };
}
