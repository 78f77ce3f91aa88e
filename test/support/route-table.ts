import type Koa from 'koa';
import { openPageSql } from '../../analytics/sql/open-page-sql.js';
import { createRoutes } from '../../api/all-routes.js';
import { createApp } from '../../api/app.js';
import { loadAssets } from '../../api/public/assets.js';
import { createPublicCache } from '../../api/public/public-cache.js';
import { createOriginParser } from '../../api/request-origin.js';
import type { Route } from '../../api/route.js';
import { noteSeenVersions } from '../../control/deployments/index.js';
import { createKeyCache } from '../../control/keys/index.js';
import { createPoolReports } from '../../database-health/pool-reports/pool-reports.js';
import { createDeliveryBuffer } from '../../ingest/buffer/delivery-buffer.js';
import { createCumulativeCommit } from '../../ingest/cumulative/cumulative-commit.js';
import { createNameRegistry } from '../../ingest/names/name-registry.js';
import { createVersionRegistry } from '../../ingest/names/version-registry.js';
import { createIngest } from '../../ingest/pipeline.js';
import { createPostgresCommit } from '../../ingest/postgres/postgres-commit.js';
import { createServiceSignals } from '../../ingest/signals/service-signals.js';
import { systemClock } from '../../lib/clock.js';
import { createMetrics } from '../../service/metrics.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { makeControlledStore } from './controlled-store.js';
import { silentLog } from './silent-log.js';

const assets = loadAssets();

async function unasked(): Promise<never> {
  throw new Error('There is no installation.');
}

/**
 * The routes of the service, and the application of them, without stores: the clients would connect with their first
 * query, and there is none.
 */
export function makeRouteTable(): { routes: Route[]; app: Koa } {
  const [sql, clickhouse] = [
    openPostgres('postgres://none@127.0.0.1:1/none'),
    openClickHouse('http://127.0.0.1:1/none'),
  ];
  const deps = { sql, clock: systemClock, log: silentLog };
  const metrics = createMetrics();
  const commitDeps = {
    ...deps,
    store: makeControlledStore(),
    buffer: createDeliveryBuffer(deps, 'default'),
    metrics: metrics.commit,
  };
  const [commit, cumulative] = [createPostgresCommit(commitDeps), createCumulativeCommit(commitDeps)];
  const ingest = createIngest({
    ...deps,
    registry: createNameRegistry(deps),
    versions: createVersionRegistry({ ...deps, noteVersions: noteSeenVersions }),
    signals: createServiceSignals(deps),
    commitOf: () => commit,
    postgresCommitOf: () => commit,
    cumulativeCommitOf: () => cumulative,
    metrics: metrics.ingest,
    rejections: { add() {}, addUnread() {} },
  });
  const keys = createKeyCache(deps);
  const { routes } = createRoutes({
    ...{ ...deps, keys, namesSql: sql, publicSql: sql, publicClickhouse: clickhouse },
    cache: createPublicCache(deps),
    clickhouse,
    ingest,
    rejections: { flush: async () => {} },
    poolReports: createPoolReports({ ...deps, clickhouse, metrics: metrics.poolReports }),
    pageStores: { clickhouseOf: () => clickhouse, isOwn: () => false, settle: async () => undefined },
    pageSql: openPageSql({
      clickhouseUrl: 'http://127.0.0.1:1/none',
      clickhouse,
      secretKey: 'x',
      clock: systemClock,
    }),
    checkReadiness: async () => ({}),
    mayObserve: () => true,
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
    parseOrigin: createOriginParser([]),
    assets,
    secretKey: 'x',
    allowPrivateAddresses: false,
    privateAddresses: { current: () => ({ allowed: false, decidedBy: 'default' }), refresh: async () => {} },
    baseUrl: () => '/',
    installation: { load: unasked, runJob: unasked, sendTestMail: unasked },
    prepareEventStore: unasked,
    waySender: { lacks: () => undefined, send: unasked, close() {} },
    onAnnounced() {},
    dispatch() {},
    version: '0.0.0',
  });
  const app = createApp({
    keys,
    log: silentLog,
    metrics,
    routes,
    bodyTimeoutMs: 1_000,
  });
  return { routes, app };
}
