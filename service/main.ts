import cluster from 'node:cluster';
import { checkCanListen } from '../api/listening.js';
import { systemClock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { ensureDatabase } from '../sql/open-clickhouse.js';
import { openPostgres } from '../sql/open-postgres.js';
import { reachStore } from '../sql/store-refusal.js';
import { startStack } from '../stack/start-stack.js';
import { commandPrefixOf } from './addresses.js';
import { chooseAcknowledgement } from './choose-acknowledgement.js';
import type { Config, Role } from './config.js';
import { readConnectionsMax } from './connections-max.js';
import { loadPageAddresses, makeDemoPage, welcome } from './demo-page.js';
import { handOver } from './hand-over.js';
import { stackOptions } from './options.js';
import type { ProcessStart } from './processes/messages.js';
import { runProcesses } from './processes/run-processes.js';
import { serveAsProcess } from './processes/serve-as-process.js';
import { type ServiceOptions, startService } from './service.js';
import { openLog, type StartLog } from './start-log.js';

/**
 * Runs the service until SIGTERM or SIGINT: starts the embedded stores for which the configuration has no URL, then
 * the service on them, in as many processes as the configuration says. Returns once the service listens.
 *
 * @throws StackError, MigrationError or another error with one sentence for the person who started the service.
 */
export async function serve(config: Config, roles: ReadonlySet<Role>): Promise<void> {
  const { logLevel: level, logFormat: format } = config;
  const startLog = openLog({ level, format, terminal: process.stdout, showsStart: cluster.isPrimary });
  try {
    await start(config, roles, startLog);
  } finally {
    startLog.end();
  }
}

async function start(config: Config, roles: ReadonlySet<Role>, { log, begin, end }: StartLog): Promise<void> {
  const startHere = (
    start: ProcessStart,
    asks: Pick<ServiceOptions, 'readMetrics' | 'restartClickHouse' | 'settleOthers' | 'hasStarted'>,
  ) => startService({ ...serviceOptions(config), ...start, roles, clock: systemClock, log, ...asks });
  const isEmbedded = config.clickhouseUrl === undefined;
  if (cluster.isWorker) {
    return serveAsProcess((start, { readMetrics, restartClickHouse, settleOthers, hasStarted }) =>
      startHere(start, {
        ...{ readMetrics, settleOthers, hasStarted },
        restartClickHouse: isEmbedded ? restartClickHouse : undefined,
      }),
    );
  }
  for (const warning of config.warnings) log.warn({}, warning);
  await checkCanListen({ host: config.host, port: config.port, setting: 'PORT' });
  const otlpGrpcPort = roles.has('api') ? await chooseOtlpGrpcPort(config, log) : undefined;
  begin('Starting the stores');
  const stack = await startStack(stackOptions(config, log));
  try {
    await reachConfiguredStores(config);
    begin('Starting the service');
    const { databaseUrl, clickhouseUrl, secretKey, restartClickHouse } = stack;
    // After the start of the embedded stores, which create and check the data folder.
    const { eventLog, sentence: from } = await chooseAcknowledgement(config, log);
    const start = { databaseUrl, clickhouseUrl, secretKey, makeSqlUser: !isEmbedded, eventLog, otlpGrpcPort };
    let isAnnounced = false;
    const announceHere = (): void => {
      isAnnounced = true;
    };
    const one = { restartClickHouse, hasStarted: () => isAnnounced };
    const service = await (config.processes === 1
      ? startHere(start, one).then(({ url, close }) => ({ url, close, announce: announceHere }))
      : runProcesses({ count: config.processes, start, restartClickHouse, log }));
    stopOnSignal(async () => {
      log.info({}, 'Stopping; requests in flight are answered first.');
      await service.close();
      await stack.stop();
    });
    const url = config.baseUrl?.origin ?? service.url;
    const demo =
      config.databaseUrl === undefined
        ? await makeDemoPage(stack.databaseUrl, { clock: systemClock, url })
        : undefined;
    await stack.publish(url);
    const pages = await loadPageAddresses(stack.databaseUrl, url);
    // As text, the welcome says the same.
    const shown = { pages: pages.addresses, morePages: pages.more, acknowledgedFrom: from };
    const fields = { url, otlpGrpcPort, ...shown };
    log.info(fields, 'The service listens.');
    end();
    const handed = await handOver(
      { ...config, hasLog: eventLog !== undefined },
      {
        ...{ databaseUrl: stack.databaseUrl, url, demo },
        ...{ isTerminal: process.stdout.isTTY, answers: roles.has('api'), log },
      },
    );
    const prefix = commandPrefixOf(config);
    process.stdout.write(welcome(url, { pages, acknowledgedFrom: from, prefix, ...handed }));
    service.announce();
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/**
 * Returns the port for OTLP over gRPC, if there is one. A collector on the same machine has the usual one: then the service
 * starts without, and says so.
 *
 * @throws Error with one sentence for the operator when it cannot listen on the port that somebody has chosen
 */
async function chooseOtlpGrpcPort(
  { host, otlpGrpcPort: port, hasOtlpGrpcPort }: Config,
  log: Log,
): Promise<number | undefined> {
  if (port === 0) return undefined;
  try {
    await checkCanListen({ host, port, setting: 'HEARTLINE_OTLP_GRPC_PORT' });
    return port;
  } catch (error) {
    if (hasOtlpGrpcPort || !(error instanceof Error)) throw error;
    log.warn({}, `OTLP over gRPC is off. ${error.message} 0 switches it off without this line.`);
    return undefined;
  }
}

/** @throws Error with one sentence when a store that the environment names cannot be used. */
async function reachConfiguredStores({ databaseUrl, clickhouseUrl }: Config): Promise<void> {
  if (databaseUrl !== undefined) {
    const sql = openPostgres(databaseUrl, { max: 1 });
    await reachStore('postgres', { url: databaseUrl, source: 'DATABASE_URL' }, () => sql`select 1`).finally(
      () => sql.end({ timeout: 5 }),
    );
  }
  if (clickhouseUrl === undefined) return;
  const address = { url: clickhouseUrl, source: 'CLICKHOUSE_URL' } as const;
  await reachStore('clickhouse', address, () => ensureDatabase(clickhouseUrl));
}

function serviceOptions(config: Config) {
  const { host, port, baseUrl, trustedProxies, metricsFrom, allowPrivateAddresses } = config;
  const { smtpUrl, gateways, translateUrl } = config;
  const { clickhouseCluster, oidc, localSignIn } = config;
  return {
    ...{ host, port, trustedProxies, metricsFrom, localSignIn, gateways },
    ...(allowPrivateAddresses !== undefined && { allowPrivateAddresses }),
    connectionsMax: readConnectionsMax(config.processes),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(clickhouseCluster !== undefined && { clickhouseCluster }),
    ...(smtpUrl !== undefined && { smtpUrl }),
    ...(oidc !== undefined && { oidc }),
    ...(translateUrl !== undefined && { translateUrl }),
  };
}

/** Stops in order on the first signal, at once on the second. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}
