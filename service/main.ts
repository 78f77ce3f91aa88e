import cluster from 'node:cluster';
import pino from 'pino';
import { systemClock } from '../lib/clock.js';
import { startStack } from '../stack/start-stack.js';
import type { WorkerStart } from './cluster-messages.js';
import type { Config } from './config.js';
import { makeDemoPage, welcome } from './demo-page.js';
import type { ReadMetrics } from './metrics.js';
import type { Role } from './roles.js';
import { runWorkers } from './run-processes.js';
import { serveAsWorker } from './serve-as-process.js';
import { startService } from './service.js';
import { stackOptions } from './stack-options.js';

/**
 * Runs the service until SIGTERM or SIGINT: starts the embedded stores that the configuration has no URL for,
 * then the service on top of them, in as many processes as the configuration says. Returns once it listens.
 *
 * @throws StackError, MigrationError or another error with one sentence for the person who started it.
 */
export async function serve(config: Config, roles: ReadonlySet<Role>): Promise<void> {
  const log = pino({ level: config.logLevel, base: null });
  const startHere = (start: WorkerStart, readMetrics?: ReadMetrics) =>
    startService({ ...serviceOptions(config), ...start, roles, clock: systemClock, log, readMetrics });
  if (cluster.isWorker) return serveAsWorker(startHere);
  const stack = await startStack(stackOptions(config, log));
  try {
    const { databaseUrl, clickhouseUrl, secretKey } = stack;
    const makeSqlUser = config.clickhouseUrl !== undefined;
    const start = { databaseUrl, clickhouseUrl, secretKey, makeSqlUser };
    const service = await (config.workers === 1
      ? startHere(start)
      : runWorkers({ count: config.workers, start, log }));
    stopOnSignal(async () => {
      log.info({}, 'Stopping: open requests are answered first.');
      await service.close();
      await stack.stop();
    });
    const demo =
      config.databaseUrl === undefined ? await makeDemoPage(stack.databaseUrl, systemClock) : undefined;
    const url = config.baseUrl?.origin ?? service.url;
    process.stdout.write(welcome(url, demo));
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

function serviceOptions(config: Config) {
  const { host, port, baseUrl, trustedProxies, allowPrivateAddresses, smtpUrl, translateUrl } = config;
  const { clickhouseCluster } = config;
  return {
    ...{ host, port, trustedProxies, allowPrivateAddresses },
    ...(baseUrl !== undefined && { baseUrl }),
    ...(clickhouseCluster !== undefined && { clickhouseCluster }),
    ...(smtpUrl !== undefined && { smtpUrl }),
    ...(translateUrl !== undefined && { translateUrl }),
  };
}

/** The first signal stops in order, the second one at once. */
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
