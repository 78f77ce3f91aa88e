import type { Agent } from 'node:http';
import { ClickHouseError } from '@clickhouse/client';
import type { Log } from '../lib/log.js';
import { migrateClickHouse } from './migrate.js';
import { MigrationError } from './migration-files.js';
import { ensureDatabase, openClickHouse } from './open-clickhouse.js';

/** Why a ClickHouse cannot be an event store, in one sentence for the person whose server it is. */
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

/** Year and month of a release; older ones do not remember insert tokens in the tables behind a view. */
const versionMin: readonly [number, number] = [25, 8];

/** The URL for openClickHouse. It holds the password: it is for no log. */
export function eventStoreUrl({ url, database, username, password }: EventStoreAddress): string {
  const whole = new URL(url);
  whole.username = encodeURIComponent(username);
  whole.password = encodeURIComponent(password);
  whole.pathname = `/${database}`;
  return whole.href;
}

/**
 * Connects to a server of somebody else's and makes it ready: the database, the tables, and whether they can be
 * written and read. Answers its version. Repeating it changes nothing.
 *
 * @throws EventStoreError
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
  throw new EventStoreError(`ClickHouse ${version} is too old; ${versionMin.join('.')} or newer is needed.`);
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
      return wrap(`The user "${username}" may not do what is needed: ${first.slice(0, 300)}`);
    }
    return wrap(`ClickHouse at ${host} answers: ${error.message.slice(0, 300)}`);
  }
  if (error instanceof Error && error.message.startsWith('DNS lookup ')) {
    return wrap(
      `${host} is not a public address; HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on lets stores be on private ones.`,
    );
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return wrap(`ClickHouse at ${host} cannot be reached${code}.`);
}
