import {
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient as DriverClient,
} from '@clickhouse/client';

/** A client; `readSecondsMax` is its limit for a read of figures, see loadRows(). */
export type ClickHouseClient = DriverClient & { readonly readSecondsMax?: number };

/** The limits of time of requests of a client. */
export type ClickHouseLimits = {
  /** A read of figures on the server, which then answers that it takes too long. */
  readSecondsMax: number;
  /** Silence of the server, after which it counts as unavailable. */
  silentMsMax: number;
};

/** For reads that a request waits for: both within the 10 s in which every request is answered. */
export const requestReadLimits: ClickHouseLimits = { readSecondsMax: 7, silentMsMax: 8_000 };
/** For jobs, loops and commands. */
export const backgroundReadLimits: ClickHouseLimits = { readSecondsMax: 20, silentMsMax: 30_000 };

export type OpenClickHouseOptions = {
  /** Most connections at once; 10 when not given. */
  max?: number;
  /** The user may not change settings. */
  readOnly?: boolean;
  /** From `queryPriorities`. */
  priority?: number;
  /** `backgroundReadLimits` when not given. */
  limits?: ClickHouseLimits;
};

/** On a cluster, an insert is answered when every shard has its rows, and no query leaves a shard out. */
const wholeCluster = { distributed_foreground_insert: 1, skip_unavailable_shards: 0 } as const;

const unknownDatabase = '81';

/**
 * Opens a client for `http(s)://user:password@host:port/database`; it connects at the first query. Times without a zone
 * are in UTC, in both directions. Close the client with `clickhouse.close()`.
 */
export function openClickHouse(url: string, options: OpenClickHouseOptions = {}): ClickHouseClient {
  const { readSecondsMax, silentMsMax } = options.limits ?? backgroundReadLimits;
  const client = createClient({
    url,
    application: 'heartline',
    max_open_connections: options.max ?? 10,
    request_timeout: silentMsMax,
    keep_alive: { enabled: true },
    clickhouse_settings: {
      session_timezone: 'UTC',
      ...(!options.readOnly && wholeCluster),
      ...(options.priority !== undefined && { priority: String(options.priority) }),
    },
    // Errors reach the caller; without this the client also prints them to the console.
    log: { level: ClickHouseLogLevel.OFF },
  });
  return Object.assign(client, { readSecondsMax });
}

/**
 * Creates the database of the URL unless it exists. It checks first, so that a user who may not create databases can use
 * one that an administrator created.
 *
 * @throws ClickHouseError when the server refuses; a network error when the server cannot be reached.
 */
export async function ensureDatabase(url: string): Promise<void> {
  if (await databaseExists(url)) return;
  const serverUrl = new URL(url);
  const name = serverUrl.pathname.slice(1);
  serverUrl.pathname = '';
  const server = openClickHouse(serverUrl.href, { max: 1 });
  try {
    await server.command({
      query: 'CREATE DATABASE IF NOT EXISTS {name:Identifier}',
      query_params: { name },
    });
  } finally {
    await server.close();
  }
}

async function databaseExists(url: string): Promise<boolean> {
  const client = openClickHouse(url, { max: 1 });
  try {
    await client.command({ query: 'SELECT 1 FORMAT Null' });
    return true;
  } catch (error) {
    if (error instanceof ClickHouseError && error.code === unknownDatabase) return false;
    throw error;
  } finally {
    await client.close();
  }
}
