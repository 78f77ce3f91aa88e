import type { Log } from '../lib/log.js';
import type { Config } from '../service/config.js';
import { stackOptions } from '../service/stack-options.js';
import { readRunningStack } from '../stack/stack-file.js';
import { startStack } from '../stack/start-stack.js';

/** Where the stores of a command are; the first question that needs it looks for them, or starts them. */
export type StoreLocator = {
  databaseUrl(): Promise<string>;
  clickhouseUrl(): Promise<string>;
  /** Undefined when both URLs and no key are configured. */
  secretKey(): Promise<string | undefined>;
  /** Stops the stores that were started here. */
  stop(): Promise<void>;
};

type Found = { databaseUrl: string; clickhouseUrl: string; secretKey: string; stop?(): Promise<void> };

/**
 * A configured URL wins; then the instance that runs on the data folder; else the embedded stores are started
 * there until stop().
 */
export function createStoreLocator(config: Config, log: Log): StoreLocator {
  let found: Promise<Found> | undefined;

  async function find(): Promise<Found> {
    const running = await readRunningStack(config.dataDir);
    if (running !== undefined) return running;
    return startStack({ ...stackOptions(config, log), shortLived: true });
  }

  function findOnce(): Promise<Found> {
    found ??= find();
    return found;
  }

  return {
    databaseUrl: async () => config.databaseUrl ?? (await findOnce()).databaseUrl,
    clickhouseUrl: async () => config.clickhouseUrl ?? (await findOnce()).clickhouseUrl,
    secretKey: async () => {
      const { databaseUrl, clickhouseUrl, secretKey } = config;
      if (secretKey !== undefined || (databaseUrl !== undefined && clickhouseUrl !== undefined)) {
        return secretKey;
      }
      return (await findOnce()).secretKey;
    },
    stop: async () => {
      const stores = await found?.catch(() => undefined);
      await stores?.stop?.();
    },
  };
}
