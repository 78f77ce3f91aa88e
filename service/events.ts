import { noteSeenVersions } from '../control/deployments/index.js';
import { createEventStoreDirectory } from '../control/event-stores/index.js';
import { createPoolReports, type PoolReports } from '../database-health/pool-reports/pool-reports.js';
import { startDelivery } from '../ingest/buffer/deliver-batches.js';
import { createDeliveryBuffer } from '../ingest/buffer/delivery-buffer.js';
import type { StoreName } from '../ingest/buffer/waiting-blocks.js';
import { createClickHouseStore } from '../ingest/commit/clickhouse-store.js';
import { createPageStores, type PageStores } from '../ingest/commit/page-stores.js';
import type { BlockBuffer, BlockStore } from '../ingest/commit/store-block.js';
import { createCumulativeCommit } from '../ingest/cumulative/cumulative-commit.js';
import { type EventLog, openEventLog } from '../ingest/log/event-log.js';
import { createNameRegistry } from '../ingest/names/name-registry.js';
import { createVersionRegistry } from '../ingest/names/version-registry.js';
import { createIngest, type Ingest } from '../ingest/pipeline.js';
import { createPostgresCommit } from '../ingest/postgres/postgres-commit.js';
import { type RejectionCounts, startRejectionCounts } from '../ingest/rejections/count-rejections.js';
import { createServiceSignals } from '../ingest/signals/service-signals.js';
import type { PrivateAddresses } from '../lib/outbound/address-guard.js';
import { describeThisProcess, hasEnded } from '../stack/process-identity.js';
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
  options: ServiceOptions,
  deps: OpenStores & { metrics: Metrics; roles: ReadonlySet<Role>; allowPrivateAddresses: PrivateAddresses },
  closers: Closers,
): Promise<Events> {
  const { clock, log, secretKey } = options;
  const { sql, backgroundSql, namesSql, eventsSql, clickhouse, ingestClickhouse, metrics, roles } = deps;
  const { allowPrivateAddresses } = deps;
  const store = createClickHouseStore(ingestClickhouse);
  const bufferDeps = { sql: eventsSql, clock, log };
  const buffer = createDeliveryBuffer(bufferDeps, 'default');
  const bufferOf = (name: StoreName) =>
    name === 'default' ? buffer : createDeliveryBuffer(bufferDeps, name);
  const eventLog = await startLog(options, { store, metrics, bufferOf }, closers);
  const postgresCommit = createPostgresCommit({ store, buffer, log, metrics: metrics.commit });
  closers.push(() => postgresCommit.close());
  const cumulativeCommit = createCumulativeCommit({ store, buffer, log, metrics: metrics.commit });
  closers.push(() => cumulativeCommit.close());
  const { commit, openCommit: openLogCommit } = eventLog ?? { commit: postgresCommit, openCommit: undefined };
  metrics.observeWaitingEvents(
    () =>
      postgresCommit.waitingEvents +
      cumulativeCommit.waitingEvents +
      (eventLog === undefined ? 0 : eventLog.commit.waitingEvents),
  );
  const directory = createEventStoreDirectory({ sql: namesSql, log, secretKey });
  closers.push(() => directory.stop());
  await directory.start();
  const pageStores = createPageStores({
    ...{ ...bufferDeps, ownStoreOf: directory.get, allowPrivateAddresses },
    metrics: metrics.commit,
    usual: { clickhouse, store, commit, postgresCommit, cumulativeCommit },
    openLogCommit,
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
    versions: createVersionRegistry({ sql: namesSql, clock, log, noteVersions: noteSeenVersions }),
    signals: createServiceSignals({ sql: namesSql, clock }),
    commitOf: pageStores.commitOf,
    postgresCommitOf: pageStores.postgresCommitOf,
    cumulativeCommitOf: pageStores.cumulativeCommitOf,
    sql: eventsSql,
    ...{ clock, log, metrics: metrics.ingest, rejections },
  });
  const poolReports = createPoolReports({
    ...{ sql, clickhouse: ingestClickhouse, clock, log },
    metrics: metrics.poolReports,
  });
  closers.push(() => poolReports.close());
  return { ingest, poolReports, pageStores, rejections };
}

async function startLog(
  { clock, log, eventLog }: ServiceOptions,
  {
    store,
    metrics,
    bufferOf,
  }: { store: BlockStore; metrics: Metrics; bufferOf(name: StoreName): BlockBuffer },
  closers: Closers,
): Promise<EventLog | undefined> {
  if (eventLog === undefined) return undefined;
  const opened = await openEventLog({
    ...{ ...eventLog, clock, log, store, bufferOf },
    owner: { description: await describeThisProcess(), hasEnded },
    metrics: { ...metrics.commit, ...metrics.log },
  });
  closers.push(() => opened.close());
  const { bytesMax } = eventLog;
  metrics.observeLog(() => {
    const { bytes, aheadBytes, oldest = clock.now() } = opened;
    return { bytes, aheadBytes, bytesMax, ageMs: Math.max(0, clock.now() - oldest) };
  });
  return opened;
}
