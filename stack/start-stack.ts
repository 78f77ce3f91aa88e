import { join, resolve } from 'node:path';
import { findSecretKeyMistake, secretKeysOf } from '../lib/secrets/secret-keys.js';
import { startClickHouse } from './clickhouse.js';
import { StackError } from './errors.js';
import { keepSecret, makePrivateFolder } from './files.js';
import { lockFolder } from './lock.js';
import { startPostgres } from './postgres.js';
import { assertNotRestoring, removeRunningStack, writeRunningStack } from './stack-file.js';
import type { StackLog } from './supervise.js';

export type StackOptions = {
  /** Folder of the embedded stores and of the files that instances and commands share. */
  dataDir: string;
  /** Server in place of the embedded one, which is then neither started nor loaded. */
  clickhouseUrl?: string;
  databaseUrl?: string;
  /** As HEARTLINE_SECRET_KEY. When absent, a key is created and kept in the data folder. */
  secretKey?: string;
  /** Name of the database on the embedded ClickHouse. */
  database: string;
  /** Tables of the database that the confined SQL user may read. */
  readerTables: readonly string[];
  /** Views over them that the user may read as well; none when absent. */
  readerViews?: readonly string[];
  /** Memory that the embedded ClickHouse may use, in bytes; 40 % of the machine's when absent. */
  clickhouseMemoryBytes?: number;
  /** Whether the embedded ClickHouse answers an insert when the disk has its parts; false when absent. */
  syncsInserts?: boolean;
  log: StackLog;
};

export type Stack = {
  clickhouseUrl: string;
  /** The embedded ClickHouse for clients of its native protocol. */
  clickhouseNativeUrl?: string;
  databaseUrl: string;
  secretKey: string;
  /**
   * Restarts the embedded ClickHouse as after a crash, at most once in 3 minutes. Returns whether it does so. Absent
   * when ClickHouse is a server of the operator.
   */
  restartClickHouse?: (reason: string) => Promise<boolean>;
  /** Writes to `<dataDir>/stack.json` where the service listens. Does nothing without that file. */
  publish(serviceUrl: string): Promise<void>;
  /** Stops the started stores at the same time, each within 16 s. Does not reject. */
  stop(): Promise<void>;
};

type Stoppable = () => Promise<void>;

/**
 * Starts each store that has no URL, and writes both to `<dataDir>/stack.json`. Touches no file when both URLs and the
 * secret key are given.
 *
 * @throws StackError with one sentence for the operator; no store is left running then.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { clickhouseUrl, databaseUrl, secretKey } = options;
  if (clickhouseUrl !== undefined && databaseUrl !== undefined && secretKey !== undefined) {
    return { clickhouseUrl, databaseUrl, secretKey, publish: async () => {}, stop: async () => {} };
  }
  const dataDir = resolve(options.dataDir);
  await makePrivateFolder(dataDir);
  const unlock = await lockFolder(dataDir);
  const stores: Stoppable[] = [];
  const stop = once(() => stopAll(dataDir, stores, unlock, options.log));
  try {
    await assertNotRestoring(dataDir);
    const key = secretKey ?? (await keepSecretKey(join(dataDir, 'secret-key')));
    const { restartClickHouse, ...urls } = await startStores(options, dataDir, key, stores);
    const running = { ...urls, secretKey: key };
    await writeRunningStack(dataDir, running);
    return {
      ...running,
      ...(restartClickHouse !== undefined && { restartClickHouse }),
      publish: (serviceUrl) => writeRunningStack(dataDir, { ...running, serviceUrl }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns what the key file holds, which may list keys as HEARTLINE_SECRET_KEY does. The first start creates it. */
async function keepSecretKey(path: string): Promise<string> {
  const secretKey = await keepSecret(path);
  // Two keys in two lines would be one key that opens nothing. In the environment, one key may have a line break.
  const hasLines = secretKeysOf(secretKey).some((key) => /[\r\n]/.test(key));
  const mistake = hasLines
    ? 'has several lines without a comma; write the keys in one line, with a comma between them.'
    : findSecretKeyMistake(secretKey);
  if (mistake !== undefined) throw new StackError(`The file ${path} ${mistake}`);
  return secretKey;
}

/** Starts both at the same time. When one fails, waits for the other, so that it can be stopped. */
async function startStores(
  options: StackOptions,
  dataDir: string,
  secretKey: string,
  stores: Stoppable[],
): Promise<Pick<Stack, 'clickhouseUrl' | 'clickhouseNativeUrl' | 'databaseUrl' | 'restartClickHouse'>> {
  const { database, readerTables, readerViews, clickhouseMemoryBytes: memoryBytes, log } = options;
  const { syncsInserts } = options;
  const clickhouseDir = join(dataDir, 'clickhouse');
  const start = async <Store extends { stop: Stoppable }>(launch: Promise<Store>): Promise<Store> => {
    const store = await launch;
    stores.push(store.stop);
    return store;
  };
  const [clickhouse, postgres] = await Promise.allSettled([
    options.clickhouseUrl === undefined
      ? start(
          startClickHouse({
            ...{ dir: clickhouseDir, database, readerTables, readerViews },
            ...{ memoryBytes, syncsInserts, secretKey, log },
          }),
        )
      : { url: options.clickhouseUrl },
    options.databaseUrl === undefined
      ? start(startPostgres({ dir: join(dataDir, 'postgres'), log }))
      : { url: options.databaseUrl },
  ]);
  if (clickhouse.status === 'rejected') throw clickhouse.reason;
  if (postgres.status === 'rejected') throw postgres.reason;
  const embedded = 'restart' in clickhouse.value ? clickhouse.value : undefined;
  return {
    clickhouseUrl: clickhouse.value.url,
    databaseUrl: postgres.value.url,
    ...(embedded !== undefined && {
      clickhouseNativeUrl: embedded.nativeUrl,
      restartClickHouse: async (reason: string) => embedded.restart(reason),
    }),
  };
}

async function stopAll(
  dataDir: string,
  stores: readonly Stoppable[],
  unlock: Stoppable,
  log: StackLog,
): Promise<void> {
  const attempt = async (act: Stoppable): Promise<void> => {
    try {
      await act();
    } catch (error) {
      log.error({ err: error }, 'The embedded stores did not stop cleanly.');
    }
  };
  await attempt(() => removeRunningStack(dataDir));
  await Promise.all(stores.map(attempt));
  await attempt(unlock);
}

function once(act: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= act();
    return result;
  };
}
