import { ClickHouseError } from '@clickhouse/client';
import Type from 'typebox';
import type { Log } from '../lib/log.js';
import type { Route } from '../lib/outbound/connect.js';
import { EgressError } from '../lib/outbound/egress-error.js';
import { migrateOwnStore } from './migrate.js';
import { MigrationError } from './migration-files.js';
import { ownStoreLimits } from './own-store/limits.js';
import { Row } from './own-store/load-event-rows.js';
import { type EventStoreAddress, openOwnEventStore } from './own-store/own-event-store.js';
import { OwnStoreError } from './own-store/own-store-error.js';
import { rowType } from './own-store/read-json-rows.js';
import { createOwnStoreTurns } from './own-store/turns.js';

/**
 * A ClickHouse server cannot be an event store. The message is for the owner of the server. It may hold text of that
 * server, which could otherwise rewrite the operator's terminal, so control characters become spaces.
 */
export class EventStoreError extends Error {
  override name = 'EventStoreError';

  constructor(message: string, options?: ErrorOptions) {
    super(withoutControls(message), options);
  }
}

function withoutControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

type Deps = {
  outbound: Route;
  log: Log;
  /** For the whole preparation; a minute when not given. */
  timeoutMs?: number;
};

/** Year and month of a release. Older releases do not remember insert tokens in the tables behind a view. */
const versionMin: readonly [number, number] = [25, 8];
const unknownDatabase = '81';
const versionRow = rowType(Row({ version: Type.String({ maxLength: 1_000 }) }));

/**
 * Connects to the ClickHouse server of a tenant, creates the database and the tables, and checks that they can be written
 * and read. Returns the version of the server. It can be repeated.
 *
 * @throws EventStoreError when the server cannot be used.
 */
export async function prepareEventStore(
  address: EventStoreAddress,
  { outbound, log, timeoutMs = ownStoreLimits.migrationMs }: Deps,
): Promise<{ version: string }> {
  const deps = { outbound, turns: createOwnStoreTurns(), key: address.url, sessionMs: timeoutMs };
  const session = openOwnEventStore(address, deps).begin();
  try {
    await session.command('SELECT 1 FORMAT Null').catch(async (error) => {
      if (!isUnknownDatabase(error)) throw error;
      const server = openOwnEventStore({ ...address, database: '' }, deps).begin();
      await server.command('CREATE DATABASE IF NOT EXISTS {name:Identifier}', { name: address.database });
    });
    const query = { query: 'SELECT version() AS version', rowsMax: 1 };
    const [{ version } = { version: '0' }] = await session.loadRows(versionRow, query);
    checkVersion(version);
    await migrateOwnStore({ session, log });
    await session.command('INSERT INTO landing_blocks SELECT * FROM landing_blocks WHERE 0');
    await session.command('SELECT * FROM requests_minute LIMIT 0 FORMAT Null');
    return { version: withoutControls(version) };
  } catch (error) {
    throw explain(error, address);
  }
}

function isUnknownDatabase(error: unknown): boolean {
  return (
    error instanceof OwnStoreError &&
    error.failure instanceof ClickHouseError &&
    error.failure.code === unknownDatabase
  );
}

function checkVersion(version: string): void {
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [yearMin, monthMin] = versionMin;
  if (year > yearMin || (year === yearMin && month >= monthMin)) return;
  throw new EventStoreError(
    `ClickHouse ${version.slice(0, 20)} is too old. Use ${versionMin.join('.')} or newer.`,
  );
}

function explain(error: unknown, { url, username, database }: EventStoreAddress): EventStoreError {
  if (error instanceof EventStoreError) return error;
  const { host } = new URL(url);
  const wrap = (text: string) => new EventStoreError(text, { cause: error });
  if (error instanceof MigrationError)
    return wrap(`The database "${database}" cannot be used: ${error.message}`);
  const failure = error instanceof OwnStoreError ? error.failure : error;
  if (failure instanceof ClickHouseError) {
    if (failure.type === 'AUTHENTICATION_FAILED') {
      return wrap(`ClickHouse at ${host} refuses the user "${username}" or the password.`);
    }
    if (failure.type === 'ACCESS_DENIED') {
      const [first = ''] = failure.message.split('\n');
      return wrap(`The user "${username}" lacks a privilege: ${first.slice(0, 300)}`);
    }
    return wrap(`ClickHouse at ${host} answers: ${failure.message.slice(0, 300)}`);
  }
  if (failure instanceof EgressError && failure.kind === 'address') {
    return wrap(
      `${host} is not a public address. Allow private addresses under Installation in the dashboard, or with HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on.`,
    );
  }
  if (failure instanceof EgressError && failure.kind === 'metadata') return wrap(failure.message);
  if (failure instanceof EgressError && failure.code !== undefined) {
    return wrap(`ClickHouse at ${host} cannot be reached (${failure.code}).`);
  }
  const text = failure instanceof Error ? failure.message : error instanceof Error ? error.message : '';
  return wrap(`ClickHouse at ${host} cannot be used. ${text}`.trim());
}
