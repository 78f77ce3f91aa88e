import { createEventStoreDirectory } from '../control/event-stores/index.js';
import { createPoolReports, type PoolReports } from '../database-health/pool-reports/pool-reports.js';
import { startDelivery } from '../ingest/buffer/deliver-batches.js';
import { createDeliveryBuffer } from '../ingest/buffer/delivery-buffer.js';
import { createClickHouseStore } from '../ingest/commit/clickhouse-store.js';
import { createGroupCommit } from '../ingest/commit/group-commit.js';
import { createPageStores, type PageStores } from '../ingest/commit/page-stores.js';
import { createNameRegistry } from '../ingest/names/name-registry.js';
import { createIngest, type Ingest } from '../ingest/pipeline.js';
import { type RejectionCounts, startRejectionCounts } from '../ingest/rejections/count-rejections.js';
import type { Role } from './config.js';
import type { Metrics } from './metrics.js';
import type { Closers, ServiceOptions } from './options.js';
import type { OpenStores } from './stores.js';

export type Events = {
  ingest: Ingest;
  poolReports: PoolReports;
  pageStores: PageStores;
  rejections: RejectionCounts;
};

/** Starts the path of events and pool reports to their stores, and the delivery of batches that wait for one. */
export async function startEvents(
  { clock, log, secretKey, allowPrivateAddresses = false }: ServiceOptions,
  deps: OpenStores & { metrics: Metrics; roles: ReadonlySet<Role> },
  closers: Closers,
): Promise<Events> {
  const { sql, backgroundSql, namesSql, clickhouse, ingestClickhouse, metrics, roles } = deps;
  const store = createClickHouseStore(ingestClickhouse);
  const buffer = createDeliveryBuffer({ sql, clock, log }, 'default');
  const commit = createGroupCommit({ store, buffer, log, metrics: metrics.commit });
  closers.push(() => commit.close());
  metrics.observeWaitingEvents(() => commit.waitingEvents);
  const directory = createEventStoreDirectory({ sql: namesSql, log, secretKey });
  closers.push(() => directory.stop());
  await directory.start();
  const pageStores = createPageStores({
    ...{ sql, clock, log, ownStoreOf: directory.get, allowPrivateAddresses },
    metrics: metrics.commit,
    usual: { clickhouse, store, commit },
  });
  closers.push(() => pageStores.close());
  if (roles.has('deliver')) {
    const delivery = startDelivery({ sql: backgroundSql, clock, log, openStore: pageStores.openStore });
    closers.push(() => delivery.stop());
  }
  const rejections = startRejectionCounts({ sql, log });
  closers.push(() => rejections.stop());
  const ingest = createIngest({
    registry: createNameRegistry({ sql: namesSql, clock }),
    commitOf: pageStores.commitOf,
    ...{ clock, metrics: metrics.ingest, rejections },
  });
  const poolReports = createPoolReports({
    ...{ sql, clickhouse: ingestClickhouse, clock, log },
    metrics: metrics.poolReports,
  });
  closers.push(() => poolReports.close());
  return { ingest, poolReports, pageStores, rejections };
}
