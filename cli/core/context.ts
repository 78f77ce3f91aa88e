import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { type Actor, cliActor } from '../../control/audit/index.js';
import { type Clock, systemClock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { commandPrefixOf, usualServiceUrl } from '../../service/addresses.js';
import type { Config } from '../../service/config.js';
import type { RemoteConfig } from '../../service/settings/remote-config.js';
import { migrate, migratePostgres } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { reachStore } from '../../sql/store-refusal.js';
import { type Client, createClient } from '../client/client.js';
import { inProcess } from '../client/in-process.js';
import { overHttp } from '../client/over-http.js';
import { createStoreLocator, type StoreAddresses } from './store-locator.js';

/**
 * The configuration, the output and the stores of a command. It opens a store when the command first asks for it, and starts the embedded one where
 * none is running.
 */
export type CommandContext = {
  config: Config;
  clock: Clock;
  /** Silent: a command prints its result, and an error ends it with a sentence. */
  log: Log;
  /** Writes text to standard output. */
  print(text: string): void;
  /** Standard output, for a result whose bytes are written unchanged. */
  stdout: Writable;
  /** Writes a sentence to standard error: something for a person, which no program reads. */
  notify(sentence: string): void;
  /** How a printed command begins, so that it can be pasted: it names the data folder when that is not the usual one. */
  commandPrefix: string;
  /** A variable of the environment that a file names. */
  variable(name: string): string | undefined;
  /** Asks the management API: in this process on the stores, or an installation elsewhere over HTTP. */
  client: Client;
  /** Whether the command runs on an installation elsewhere, and has no stores. */
  isRemote: boolean;
  /** Address of the service: HEARTLINE_URL, BASE_URL, or where the service on the data folder listens, or where it would by default. */
  serviceUrl(): Promise<string>;
  /** PostgreSQL alone, migrated: a key can be revoked while ClickHouse is down. */
  openControl(): Promise<ControlStore>;
  /** The same with the key that seals its secrets. */
  openControlWithSecrets(): Promise<ControlStore & { secretKey: string }>;
  /** Where both stores are; starts the embedded ones if none are running. They may lack migrations. */
  locateStores(): Promise<StoreAddresses>;
  /** Both stores, migrated. */
  openStores(): Promise<OpenStores>;
  /** Closes what was opened, and stops what was started. */
  close(): Promise<void>;
};

/** `by` is the person who runs the command, for the audit log. */
export type ControlStore = { sql: Sql; clock: Clock; by: Actor };

export type OpenStores = ControlStore & StoreAddresses & { clickhouse: ClickHouseClient; log: Log };

/** A user id without a name, as in some containers, has no entry to look up. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'shell';
  }
}

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

type ContextOptions = Pick<CommandContext, 'print' | 'notify' | 'variable'> &
  Partial<Pick<CommandContext, 'clock' | 'stdout'>> & {
    /** The installation elsewhere; absent for the stores. */
    remote?: RemoteConfig;
    /** Whether the command may create the embedded stores, and not only use those that exist. */
    createsStores: boolean;
  };

/** Opens nothing yet. Close it when the command has ended, also after a failure. */
export function createContext(
  config: Config,
  {
    print,
    notify,
    remote,
    variable,
    createsStores: mayCreate,
    clock = systemClock,
    stdout = process.stdout,
  }: ContextOptions,
): CommandContext {
  const by = cliActor(loginName());
  const locator = createStoreLocator({ config, log, notify, mayCreate });
  /** In the order in which they were opened. */
  const closers: (() => Promise<unknown>)[] = [() => locator.stop()];

  async function connectSql(): Promise<Sql> {
    const found = await locator.postgres();
    const sql = openPostgres(found.url);
    closers.push(() => sql.end({ timeout: 5 }));
    await reachStore('postgres', found, () => sql`select 1`);
    return sql;
  }

  async function connectClickHouse(): Promise<ClickHouseClient> {
    const found = await locator.clickhouse();
    await reachStore('clickhouse', found, () => ensureDatabase(found.url));
    const clickhouse = openClickHouse(found.url);
    closers.push(() => clickhouse.close());
    return clickhouse;
  }

  let control: Promise<ControlStore> | undefined;

  function openControl(): Promise<ControlStore> {
    control ??= connectSql().then(async (sql) => {
      await migratePostgres({ sql, log });
      return { sql, clock, by };
    });
    return control;
  }

  async function locateStores(): Promise<StoreAddresses> {
    return {
      databaseUrl: (await locator.postgres()).url,
      clickhouseUrl: (await locator.clickhouse()).url,
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
    return { ...addresses, sql, clickhouse, clock, by, log };
  }

  async function close(): Promise<void> {
    for (const closeOne of closers.reverse()) await closeOne();
  }

  const serviceUrl = async (): Promise<string> =>
    remote?.url.href.replace(/\/$/, '') ??
    config.baseUrl?.origin ??
    (await locator.serviceUrl()) ??
    usualServiceUrl(config);
  const transport =
    remote === undefined
      ? inProcess({ config, openControl, serviceUrl, secretKey: () => locator.secretKey() })
      : overHttp(remote);

  return {
    commandPrefix: commandPrefixOf(config),
    client: createClient(transport),
    isRemote: remote !== undefined,
    serviceUrl,
    ...{
      config,
      clock,
      log,
      print,
      stdout,
      notify,
      variable,
      openControl,
      locateStores,
      openStores,
      close,
    },
    openControlWithSecrets: async () => ({
      secretKey: await locator.secretKey(),
      ...(await openControl()),
    }),
  };
}
