import type { Log } from '../../lib/log.js';
import type { Config } from '../../service/config.js';
import { stackOptions } from '../../service/stack-options.js';
import { findRunningStack } from '../../stack/stack-file.js';
import { startStack } from '../../stack/start-stack.js';

export type StoreAddresses = { databaseUrl: string; clickhouseUrl: string; secretKey: string };

/** Where the stores of a command are. The first call that needs it looks for them, or starts them. */
export type StoreLocator = {
  [name in keyof StoreAddresses]: () => Promise<string>;
} & {
  /** Stops the stores that were started here. */
  stop(): Promise<void>;
};

type Found = StoreAddresses & { stop?(): Promise<void> };

/**
 * A configured URL or key wins; then the instance that runs on the data folder; otherwise the embedded stores are
 * started there until stop().
 */
export function createStoreLocator(config: Config, log: Log): StoreLocator {
  let found: Promise<Found> | undefined;

  async function find(): Promise<Found> {
    const running = await findRunningStack(config.dataDir);
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
    // With both URLs configured the key is configured as well: the configuration requires it.
    secretKey: async () => config.secretKey ?? (await findOnce()).secretKey,
    stop: async () => {
      const stores = await found?.catch(() => undefined);
      await stores?.stop?.();
    },
  };
}
