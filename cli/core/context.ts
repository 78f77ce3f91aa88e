import { loadPageId } from '../../control/pages/index.js';
import { type Clock, systemClock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { Config } from '../../service/config.js';
import { migrate, migratePostgres } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { messageOf } from './errors.js';
import { createStoreLocator, type StoreAddresses } from './store-locator.js';

/**
 * What a command works with. It opens a store when the command first asks for it, and starts the embedded one where
 * none is running.
 */
export type CommandContext = {
  config: Config;
  clock: Clock;
  /** Silent: a command prints its result, and an error ends it with a sentence. */
  log: Log;
  /** Writes text to standard output. */
  print(text: string): void;
  /** PostgreSQL alone, migrated: a key can be revoked while ClickHouse is down. */
  openControl(): Promise<ControlStore>;
  /** The same with the key that seals its secrets. */
  openControlWithSecrets(): Promise<ControlStore & { secretKey: string }>;
  /** The same with the page that has the slug. @throws ServiceError `notFound` */
  openPage(slug: string): Promise<ControlStore & { pageId: PageId }>;
  /** Where both stores are; starts the embedded ones if none are running. They may lack migrations. */
  locateStores(): Promise<StoreAddresses>;
  /** Both stores, migrated. */
  openStores(): Promise<OpenStores>;
  /** Closes what was opened, and stops what was started. */
  close(): Promise<void>;
};

export type ControlStore = { sql: Sql; clock: Clock };

export type OpenStores = ControlStore & StoreAddresses & { clickhouse: ClickHouseClient; log: Log };

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens nothing yet. Close it when the command has ended, also after a failure. */
export function createContext(config: Config, print: (text: string) => void): CommandContext {
  const clock = systemClock;
  const locator = createStoreLocator(config, log);
  /** In the order in which they were opened. */
  const closers: (() => Promise<unknown>)[] = [() => locator.stop()];

  async function connectSql(): Promise<Sql> {
    const databaseUrl = await locator.databaseUrl();
    const sql = openPostgres(databaseUrl);
    closers.push(() => sql.end({ timeout: 5 }));
    await reach('PostgreSQL', databaseUrl, () => sql`select 1`);
    return sql;
  }

  async function connectClickHouse(): Promise<ClickHouseClient> {
    const clickhouseUrl = await locator.clickhouseUrl();
    await reach('ClickHouse', clickhouseUrl, () => ensureDatabase(clickhouseUrl));
    const clickhouse = openClickHouse(clickhouseUrl);
    closers.push(() => clickhouse.close());
    return clickhouse;
  }

  async function openControl(): Promise<ControlStore> {
    const sql = await connectSql();
    await migratePostgres({ sql, log });
    return { sql, clock };
  }

  async function openPage(slug: string): Promise<ControlStore & { pageId: PageId }> {
    const control = await openControl();
    return { ...control, pageId: await loadPageId(control.sql, slug) };
  }

  async function locateStores(): Promise<StoreAddresses> {
    return {
      databaseUrl: await locator.databaseUrl(),
      clickhouseUrl: await locator.clickhouseUrl(),
      secretKey: await locator.secretKey(),
    };
  }

  async function openStores(): Promise<OpenStores> {
    const sql = await connectSql();
    const clickhouse = await connectClickHouse();
    const addresses = await locateStores();
    const { clickhouseCluster: name } = config;
    const cluster = name === undefined ? undefined : { name, url: addresses.clickhouseUrl };
    await migrate({ sql, clickhouse, cluster, log });
    return { ...addresses, sql, clickhouse, clock, log };
  }

  async function close(): Promise<void> {
    for (const closeOne of closers.reverse()) await closeOne();
  }

  return {
    ...{ config, clock, log, print, openControl, openPage, locateStores, openStores, close },
    openControlWithSecrets: async () => ({
      secretKey: await locator.secretKey(),
      ...(await openControl()),
    }),
  };
}

/** Makes the first request to a store. An error names the store and its host, never its password. */
async function reach(store: string, url: string, attempt: () => PromiseLike<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    const { host } = new URL(url);
    throw new Error(`${store} at ${host} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
