import type { Agent } from 'node:http';
import { ClickHouseError } from '@clickhouse/client';
import type { Log } from '../lib/log.js';
import { isRefusedAddress } from '../lib/outbound/filtering-agents.js';
import { migrateClickHouse } from './migrate.js';
import { MigrationError } from './migration-files.js';
import { ensureDatabase, openClickHouse } from './open-clickhouse.js';

/** A ClickHouse server cannot be an event store. The message is for the owner of the server. */
export class EventStoreError extends Error {
  override name = 'EventStoreError';
}

export type EventStoreAddress = {
  /** `http(s)://host:port`. */
  url: string;
  database: string;
  username: string;
  password: string;
};

/** Year and month of a release. Older releases do not remember insert tokens in the tables behind a view. */
const versionMin: readonly [number, number] = [25, 8];

/** Returns the URL for openClickHouse(). The URL holds the password and must not be logged. */
export function eventStoreUrl({ url, database, username, password }: EventStoreAddress): string {
  const whole = new URL(url);
  whole.username = encodeURIComponent(username);
  whole.password = encodeURIComponent(password);
  whole.pathname = `/${database}`;
  return whole.href;
}

/**
 * Connects to the ClickHouse server of a tenant, creates the database and the tables, and checks that they can be written
 * and read. Returns the version of the server. It can be repeated.
 *
 * @throws EventStoreError when the server cannot be used.
 */
export async function prepareEventStore(
  address: EventStoreAddress,
  { agent, log }: { agent: Agent; log: Log },
): Promise<{ version: string }> {
  const url = eventStoreUrl(address);
  const clickhouse = openClickHouse(url, { max: 1, agent });
  try {
    await ensureDatabase(url, agent);
    const result = await clickhouse.query({ query: 'SELECT version() AS version', format: 'JSONEachRow' });
    const [{ version } = { version: '0' }] = await result.json<{ version: string }>();
    checkVersion(version);
    await migrateClickHouse({ clickhouse, log });
    await clickhouse.command({ query: 'INSERT INTO landing SELECT * FROM landing WHERE 0' });
    await clickhouse.command({ query: 'SELECT * FROM requests_minute LIMIT 0 FORMAT Null' });
    return { version };
  } catch (error) {
    throw explain(error, address);
  } finally {
    await clickhouse.close();
  }
}

function checkVersion(version: string): void {
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [yearMin, monthMin] = versionMin;
  if (year > yearMin || (year === yearMin && month >= monthMin)) return;
  throw new EventStoreError(`ClickHouse ${version} is too old. Use ${versionMin.join('.')} or newer.`);
}

function explain(error: unknown, { url, username, database }: EventStoreAddress): EventStoreError {
  if (error instanceof EventStoreError) return error;
  const { host } = new URL(url);
  const wrap = (text: string) => new EventStoreError(text, { cause: error });
  if (error instanceof MigrationError)
    return wrap(`The database "${database}" cannot be used: ${error.message}`);
  if (error instanceof ClickHouseError) {
    if (error.type === 'AUTHENTICATION_FAILED') {
      return wrap(`ClickHouse at ${host} refuses the user "${username}" or the password.`);
    }
    if (error.type === 'ACCESS_DENIED') {
      const [first = ''] = error.message.split('\n');
      return wrap(`The user "${username}" lacks a privilege: ${first.slice(0, 300)}`);
    }
    return wrap(`ClickHouse at ${host} answers: ${error.message.slice(0, 300)}`);
  }
  if (isRefusedAddress(error)) {
    return wrap(
      `${host} is not a public address. Set HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on to allow private addresses.`,
    );
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return wrap(`ClickHouse at ${host} cannot be reached${code}.`);
}
