import pino from 'pino';
import { systemClock } from '../contract/clock.js';
import { startStack } from '../stack/start-stack.js';
import type { Config } from './config.js';
import { makeDemoPage, welcome } from './demo.js';
import { startService } from './service.js';
import { stackOptions } from './stack-options.js';

/**
 * Runs the service until SIGTERM or SIGINT: starts the embedded stores that the configuration has no URL for,
 * then the service on top of them. Returns once it listens.
 *
 * @throws StackError, MigrationError or another error with one sentence for the person who started it.
 */
export async function serve(config: Config): Promise<void> {
  const log = pino({ level: config.logLevel, base: null });
  const stack = await startStack(stackOptions(config, log));
  try {
    const service = await startService({
      ...stack,
      makeSqlUser: config.clickhouseUrl !== undefined,
      host: config.host,
      port: config.port,
      ...(config.baseUrl !== undefined && { baseUrl: config.baseUrl }),
      trustedProxies: config.trustedProxies,
      allowPrivateAddresses: config.allowPrivateAddresses,
      ...(config.smtpUrl !== undefined && { smtpUrl: config.smtpUrl }),
      ...(config.translateUrl !== undefined && { translateUrl: config.translateUrl }),
      clock: systemClock,
      log,
    });
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
