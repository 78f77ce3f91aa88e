import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../lib/log.js';
import { commandPrefixOf } from '../../service/addresses.js';
import type { Config } from '../../service/config.js';
import { stackOptions } from '../../service/options.js';
import type { StoreAddress } from '../../sql/store-refusal.js';
import { findRunningStack } from '../../stack/stack-file.js';
import { startStack } from '../../stack/start-stack.js';

export type StoreAddresses = { databaseUrl: string; clickhouseUrl: string; secretKey: string };

/** Where the stores of a command are. The first call that needs it looks for them, or starts them. */
export type StoreLocator = {
  postgres(): Promise<StoreAddress>;
  clickhouse(): Promise<StoreAddress>;
  secretKey(): Promise<string>;
  /** Where the service that runs on the data folder listens; `undefined` when none does. */
  serviceUrl(): Promise<string | undefined>;
  /** Stops the stores that were started here. */
  stop(): Promise<void>;
};

type Options = {
  config: Config;
  log: Log;
  /** Prints a sentence for the person who runs the command. */
  notify(sentence: string): void;
  /** Whether the stores may be created. Otherwise a folder without stores is refused. */
  mayCreate: boolean;
};

type Found = StoreAddresses & { stop?(): Promise<void> };

/**
 * A configured URL or key wins; then the instance that runs on the data folder; otherwise the embedded stores are
 * started there until stop().
 */
export function createStoreLocator({ config, log, notify, mayCreate }: Options): StoreLocator {
  const { dataDir } = config;
  let found: Promise<Found> | undefined;

  async function find(): Promise<Found> {
    const running = await findRunningStack(dataDir);
    if (running !== undefined) return running;
    const exists = await holdsStores(dataDir);
    if (!exists && !mayCreate) throw new Error(noStores(dataDir));
    const act = exists ? 'starting its stores for this command' : 'creating its stores';
    notify(`No service is running on ${dataDir}; ${act}.`);
    return startStack(stackOptions(config, log));
  }

  function findOnce(): Promise<Found> {
    found ??= find();
    return found;
  }

  return {
    postgres: async () =>
      config.databaseUrl === undefined
        ? { url: (await findOnce()).databaseUrl, source: { folder: dataDir } }
        : { url: config.databaseUrl, source: 'DATABASE_URL' },
    clickhouse: async () =>
      config.clickhouseUrl === undefined
        ? { url: (await findOnce()).clickhouseUrl, source: { folder: dataDir } }
        : { url: config.clickhouseUrl, source: 'CLICKHOUSE_URL' },
    // With both URLs configured the key is configured as well: the configuration requires it.
    secretKey: async () => config.secretKey ?? (await findOnce()).secretKey,
    serviceUrl: async () => (await findRunningStack(dataDir))?.serviceUrl,
    stop: async () => {
      const stores = await found?.catch(() => undefined);
      await stores?.stop?.();
    },
  };
}

/** Whether a service or a command has run on the folder. A folder of another user counts: the start says what is wrong. */
async function holdsStores(dataDir: string): Promise<boolean> {
  const files = ['postgres', 'clickhouse', 'secret-key', 'restoring'].map((name) => join(dataDir, name));
  const found = await Promise.all(files.map((file) => access(file).then(() => undefined, codeOf)));
  return found.some((code) => code !== 'ENOENT');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function noStores(dataDir: string): string {
  return `There are no stores in ${dataDir}, so there is nothing to read or change. Set HEARTLINE_DATA_DIR to the folder \
of your service, or start a service there with: ${commandPrefixOf({ dataDir })} serve`;
}
