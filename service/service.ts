import type { Registry } from 'prom-client';
import { watchQueries } from '../analytics/sql/watch-queries.js';
import { createRoutes } from '../api/all-routes.js';
import { createListener } from '../api/app.js';
import { createCallListener } from '../api/grpc/answer-calls.js';
import { listenGrpc } from '../api/grpc/grpc-server.js';
import { listen } from '../api/http-server.js';
import { boundConnections } from '../api/listening.js';
import type { SignInOptions } from '../api/manage/sign-in-options.js';
import { loadAssets } from '../api/public/assets.js';
import { createPublicCache, type PublicCache } from '../api/public/public-cache.js';
import { createBodyBudget } from '../api/read-body.js';
import { createObserverCheck, createOriginParser } from '../api/request-origin.js';
import { healthRoutes } from '../api/routes/health.js';
import type { ManageRoutesDeps } from '../api/routes/manage/deps.js';
import { createWaySender, type WaySender } from '../control/contact-ways/index.js';
import { startCopyLoop } from '../control/copies/index.js';
import { createKeyCache } from '../control/keys/index.js';
import { createOidcProvider } from '../control/people/index.js';
import { followPrivateAddresses, type PrivateAddressFollower } from '../control/private-addresses/index.js';
import type { PageStores } from '../ingest/commit/page-stores.js';
import type { PageId } from '../lib/ids.js';
import { createSeldomLog } from '../lib/log.js';
import { privateNetworks } from '../lib/networks.js';
import { createTimeouts } from '../lib/timeouts.js';
import { type BackgroundLoops, startBackgroundLoops } from './background-loops.js';
import { loadBacklogs } from './backlogs.js';
import { roles as everyRole } from './config.js';
import { type Events, startEvents } from './events.js';
import { followDeletedPages } from './follow-deleted-pages.js';
import { createEventStorePreparation, startInstallation } from './installation/installation.js';
import type { JobDeps } from './jobs/job.js';
import { jobs } from './jobs/jobs.js';
import { startSchedule } from './jobs/schedule.js';
import { createMetrics, type Metrics } from './metrics.js';
import { observeBacklogs } from './observe-backlogs.js';
import type { Closers, ServiceOptions } from './options.js';
import { createReadiness } from './readiness.js';
import { createSettle } from './settle-everywhere.js';
import { type OpenStores, openStores } from './stores.js';
import { readVersion } from './version.js';

export type { ServiceOptions } from './options.js';

export type Service = {
  /** Where the service listens. */
  url: string;
  /** Where it takes OTLP over gRPC, on the same host. */
  otlpGrpcPort: number | undefined;
  /** The metrics of this process. */
  metrics: Registry;
  /** Brings what this process has acknowledged for a page to its store; see `Commit.settle`. */
  settle(pageId: PageId): Promise<number | undefined>;
  /** Answers the requests in flight, then stops everything. */
  close(): Promise<void>;
};

const bodyTimeoutMsUsual = 15_000;
/** Longer than any wait for a store, so that a request in flight still gets its answer. */
const closeGraceMs = 15_000;

/**
 * The composition root: opens both stores, migrates them, and connects the parts.
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
    const started = await start(options, metrics, closers);
    return { ...started, metrics: metrics.registry, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the parts in order. */
async function start(
  options: ServiceOptions,
  metrics: Metrics,
  closers: Closers,
): Promise<Pick<Service, 'url' | 'otlpGrpcPort' | 'settle'>> {
  const { clock, log, roles = new Set(everyRole) } = options;
  const stores = await openStores(options, closers);
  const { sql, backgroundSql, backgroundClickhouse } = stores;
  const backlogs = {
    ...{ sql, clock, startedAt: clock.now(), jobNames: jobs.map(({ name }) => name) },
    translates: options.translateUrl !== undefined,
  };
  observeBacklogs({ registry: metrics.registry, load: () => loadBacklogs(backlogs), clock, log });
  const privateAddresses = await followPrivateAddresses(
    { sql: stores.namesSql, log },
    { fixed: options.allowPrivateAddresses, usual: options.baseUrl === undefined },
  );
  closers.push(() => privateAddresses.stop());
  const allowPrivateAddresses = () => privateAddresses.current().allowed;
  const { smtpUrl, gateways } = options;
  const waySender = createWaySender({ clock, smtpUrl, gateways, allowPrivateAddresses });
  closers.push(async () => waySender.close());
  const events = await startEvents(options, { ...stores, metrics, roles, allowPrivateAddresses }, closers);
  const cache = createPublicCache({ sql: stores.publicSql, clock, log, onShed: metrics.publicReadShed });
  // A change by a loop of this process shows at once, as a change by a request does.
  const onChange = cache.expire;
  if (roles.has('api')) {
    const deletions = followDeletedPages({ sql: stores.publicSql, clock, onDeleted: cache.forget });
    closers.push(() => deletions.stop());
  }
  // The loops start last. A change before finds none to wake, and their first run delivers it.
  let loops: BackgroundLoops | undefined;
  const onAnnounced = () => loops?.wake();
  if (roles.has('api')) {
    const watch = watchQueries({
      ...{ clickhouse: backgroundClickhouse, cluster: options.clickhouseCluster, log },
      restart: options.restartClickHouse,
      restarted: metrics.clickhouseRestarted,
      block: stores.pageSql.turns.block,
    });
    closers.push(() => watch.stop());
  }
  const pageStores = readableStores(events.pageStores, options);
  const { clickhouseOf, settle } = pageStores;
  const { clickhouseCluster: name, clickhouseUrl: clusterUrl } = options;
  const jobDeps: JobDeps = {
    sql: backgroundSql,
    clickhouse: backgroundClickhouse,
    clickhouseOf: (pageId) => clickhouseOf(pageId, backgroundClickhouse),
    cluster: name === undefined ? undefined : { name, url: clusterUrl },
    pageSql: stores.pageSql,
    outgoing: { secretKey: options.secretKey, allowPrivateAddresses },
    ...{ settle, clock, log, onAnnounced, onChange },
  };
  if (roles.has('jobs')) {
    const schedule = startSchedule(jobs, jobDeps);
    const copies = startCopyLoop(jobDeps);
    closers.push(() => schedule.stop());
    closers.push(() => copies.stop());
  }
  const installation = await startInstallation(
    { jobDeps, roles, loadBacklogs: () => loadBacklogs(backlogs), smtpUrl: options.smtpUrl },
    closers,
  );
  const parts = {
    ...{ ...stores, ...events, pageStores, metrics, cache, installation, onAnnounced },
    ...{ privateAddresses, allowPrivateAddresses, waySender },
  };
  const { url, otlpGrpcPort } = await serveRequests({ ...options, roles }, parts, closers);
  const started = startBackgroundLoops({
    ...{ ...options, roles, clickhouse: backgroundClickhouse, onChange },
    probeMetrics: metrics.probe,
    ...{ allowPrivateAddresses, waySender },
    baseUrl: options.baseUrl ?? new URL(url),
  });
  loops = started;
  closers.push(() => started.stop());
  return { url, otlpGrpcPort, settle: events.pageStores.settle };
}

/** Reads show what all processes that share the port have acknowledged. */
function readableStores(pageStores: PageStores, { settleOthers, clock }: ServiceOptions): PageStores {
  if (settleOthers === undefined) return pageStores;
  return {
    ...pageStores,
    settle: createSettle({ settleOwn: pageStores.settle, settleOthers, clock }),
  };
}

type Served = OpenStores &
  Events & {
    metrics: Metrics;
    cache: PublicCache;
    installation: ManageRoutesDeps['installation'];
    privateAddresses: PrivateAddressFollower;
    waySender: WaySender;
    allowPrivateAddresses(): boolean;
    onAnnounced(): void;
  };

/** Listens for requests and for calls of gRPC, and returns where. An instance without the role `api` answers requests for its health alone. */
async function serveRequests(
  options: ServiceOptions & { roles: NonNullable<ServiceOptions['roles']> },
  { metrics, ...parts }: Served,
  closers: Closers,
): Promise<Pick<Service, 'url' | 'otlpGrpcPort'>> {
  const { clock, log, secretKey, roles } = options;
  const { registry } = metrics;
  const parseOrigin = createOriginParser(options.trustedProxies ?? []);
  const health = {
    mayObserve: createObserverCheck(parseOrigin, options.metricsFrom ?? privateNetworks),
    checkReadiness: createReadiness({
      ...{ sql: parts.readinessSql, clickhouse: parts.readinessClickhouse, clock },
      hasStarted: options.hasStarted,
    }),
    renderMetrics: async () => ({
      contentType: registry.contentType,
      text: await (options.readMetrics?.(registry) ?? registry.metrics()),
    }),
  };
  const keys = createKeyCache({ sql: parts.namesSql, clock, log });
  closers.push(() => keys.stop());
  await keys.start();
  let baseUrl = options.baseUrl?.href;
  const served = roles.has('api')
    ? createRoutes({
        ...{ ...parts, ...health, keys, clock, log, secretKey },
        prepareEventStore: createEventStorePreparation({ ...parts, log }),
        parseOrigin,
        assets: loadAssets(),
        passwordParameters: options.passwordParameters,
        signInOptions: signInOptionsOf(options),
        hasBaseUrl: options.baseUrl !== undefined,
        // The port is known once the server listens, and the listener once the routes are.
        baseUrl: () => baseUrl ?? '/',
        dispatch: (req, res) => listener(req, res),
        version: await readVersion(),
      })
    : { routes: healthRoutes(health) };
  const bodyTimeoutMs = options.bodyTimeoutMs ?? bodyTimeoutMsUsual;
  const budget = createBodyBudget();
  const trustsProxies = (options.trustedProxies ?? []).length > 0;
  const listener: ReturnType<typeof createListener> = createListener({
    keys,
    log,
    metrics,
    ...served,
    ...{ bodyTimeoutMs, budget, trustsProxies },
  });
  const seldom = createSeldomLog(log);
  const bound = boundConnections(options.connectionsMax, () => {
    metrics.connectionRefused();
    seldom.note({}, 'Connections were closed at once, because as many are open as may be.');
  });
  const server = await listen(listener, options.host, options.port, bound);
  const servers: Pick<typeof server, 'close'>[] = [server];
  closers.push(() => Promise.all(servers.map(({ close }) => close(closeGraceMs))));
  baseUrl ??= server.url;
  const { host, otlpGrpcPort: port } = options;
  if (port === undefined || !roles.has('api')) return { url: server.url, otlpGrpcPort: undefined };
  const bodies = { timeouts: createTimeouts(bodyTimeoutMs), budget };
  const calls = createCallListener({ keys, log, metrics, ingest: parts.ingest, bodies });
  const grpc = await listenGrpc(calls, { host, port }, bound);
  servers.push(grpc);
  return { url: server.url, otlpGrpcPort: grpc.port };
}

/** Returns the ways in which people sign in to the service that these options start. */
function signInOptionsOf({
  clock,
  oidc,
  smtpUrl,
  localSignIn = true,
  allowPrivateAddresses = false,
}: ServiceOptions): SignInOptions {
  const provider = oidc && {
    oidc: createOidcProvider(oidc, { clock, allowPrivateAddresses }),
    grants: oidc.grants,
  };
  return { takesPassword: localSignIn, provider, mailsLinks: smtpUrl !== undefined };
}
