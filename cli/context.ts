import { type Clock, systemClock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import type { Config } from '../service/config.js';
import { migrate, migratePostgres } from '../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../sql/open-postgres.js';
import { explainError } from './explain-error.js';
import { createStoreLocator } from './store-locator.js';

/** What a command is given. Stores are opened, and started where none runs, when it first asks for them. */
export type CommandContext = {
  config: Config;
  clock: Clock;
  /** Silent: a command prints its result, and its errors end the process with a sentence. */
  log: Log;
  /** Writes text as it is, or an object as one line of JSON, to standard output. */
  print(output: string | object): void;
  /** PostgreSQL alone, migrated, so that a key can be revoked while ClickHouse is down. */
  openSql(): Promise<Sql>;
  /**
   * The same, and the key that secrets in it are sealed with.
   *
   * @throws Error when it is not known.
   */
  openSqlAndSecretKey(): Promise<{ sql: Sql; secretKey: string }>;
  /** Where both stores are, started when none runs, and not migrated. */
  locateStores(): Promise<LocatedStores>;
  /** Both stores, migrated. */
  openStores(): Promise<OpenStores>;
  /** Closes what was opened, and stops what was started. */
  close(): Promise<void>;
};

/** `secretKey` is the one that instances share, where there is one. */
export type OpenStores = {
  sql: Sql;
  databaseUrl: string;
  clickhouse: ClickHouseClient;
  clickhouseUrl: string;
  secretKey: string | undefined;
};

export type LocatedStores = { databaseUrl: string; clickhouseUrl: string; secretKey: string | undefined };

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens nothing yet. Close it when the command has ended, however it ended. */
export function createContext(config: Config, write: (text: string) => void): CommandContext {
  const locator = createStoreLocator(config, log);
  /** In the order in which they were opened. */
  const closers: (() => Promise<unknown>)[] = [() => locator.stop()];

  async function connectSql(): Promise<{ sql: Sql; databaseUrl: string }> {
    const databaseUrl = await locator.databaseUrl();
    const sql = openPostgres(databaseUrl);
    closers.push(() => sql.end({ timeout: 5 }));
    await reach('PostgreSQL', databaseUrl, () => sql`select 1`);
    return { sql, databaseUrl };
  }

  async function connectClickHouse(): Promise<{ clickhouse: ClickHouseClient; clickhouseUrl: string }> {
    const clickhouseUrl = await locator.clickhouseUrl();
    await reach('ClickHouse', clickhouseUrl, () => ensureDatabase(clickhouseUrl));
    const clickhouse = openClickHouse(clickhouseUrl);
    closers.push(() => clickhouse.close());
    return { clickhouse, clickhouseUrl };
  }

  async function openSql(): Promise<Sql> {
    const { sql } = await connectSql();
    await migratePostgres({ sql, log });
    return sql;
  }

  async function openSqlAndSecretKey(): Promise<{ sql: Sql; secretKey: string }> {
    const secretKey = await locator.secretKey();
    if (secretKey === undefined) {
      throw new Error('HEARTLINE_SECRET_KEY must be set to the one that the service has.');
    }
    return { sql: await openSql(), secretKey };
  }

  async function locateStores(): Promise<LocatedStores> {
    return {
      databaseUrl: await locator.databaseUrl(),
      clickhouseUrl: await locator.clickhouseUrl(),
      secretKey: await locator.secretKey(),
    };
  }

  async function openStores(): Promise<OpenStores> {
    const stores = { ...(await connectSql()), ...(await connectClickHouse()) };
    const { clickhouseCluster: name } = config;
    const cluster = name === undefined ? undefined : { name, url: stores.clickhouseUrl };
    await migrate({ ...stores, cluster, log });
    return { ...stores, secretKey: await locator.secretKey() };
  }

  async function close(): Promise<void> {
    for (const closeOne of closers.reverse()) await closeOne();
  }

  function print(output: string | object): void {
    write(typeof output === 'string' ? output : `${JSON.stringify(output)}\n`);
  }

  return {
    ...{ config, clock: systemClock, log, print },
    ...{ openSql, openSqlAndSecretKey, locateStores, openStores, close },
  };
}

/** The first words with a store: whatever goes wrong is told with the store's name and host, never its password. */
async function reach(store: string, url: string, attempt: () => PromiseLike<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    const { host } = new URL(url);
    throw new Error(`${store} at ${host} cannot be used: ${explainError(error)}`, { cause: error });
  }
}
