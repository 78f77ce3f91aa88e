import { setTimeout as delay } from 'node:timers/promises';
import Type from 'typebox';
import { shardUsersTable } from '../contract/sql-tables.js';
import type { Log } from '../lib/log.js';
import type { Server } from './cluster-servers.js';
import { type ClusterLayout, shardUserStatements, toClusterStatements } from './cluster-statements.js';
import {
  type AppliedMigration,
  type Migration,
  MigrationError,
  pendingOf,
  splitStatements,
} from './migration-files.js';
import { Row } from './own-store/load-event-rows.js';
import type { OwnStoreSession } from './own-store/own-event-store.js';
import { rowType } from './own-store/read-json-rows.js';

/** A server to migrate: one of the installation, or the event store of a page. */
export type Target = Pick<OwnStoreSession, 'loadRows' | 'command'> & { layout?: ClusterLayout | undefined };

export function targetOf({ clickhouse, layout }: Server): Target {
  return {
    layout,
    async loadRows<T>(_: unknown, { query }: { query: string }) {
      return (await clickhouse.query({ query, format: 'JSONEachRow' })).json<T>();
    },
    async command(query, parameters = {}) {
      await clickhouse.command({ query, query_params: { ...parameters } });
    },
  };
}

/** Replicas behind one address show a record after each other, usually within a second. */
const recordLooks = 3;
const recordPauseMs = 1_000;

/**
 * Applies the first file that is pending and not among `done`, and adds its number there. Returns whether there was one.
 *
 * @throws MigrationError when there is none, and a file of `done` is still pending: the server took its record and has
 *   lost it.
 */
export async function applyNextToClickHouse(
  target: Target,
  files: Migration[],
  done: Set<number>,
  log: Log,
): Promise<boolean> {
  const pending = pendingOf('clickhouse', files, await loadAppliedInClickHouse(target));
  const next = pending.find(({ number }) => !done.has(number));
  if (next === undefined) {
    if (pending.length > 0) await awaitRecords(target, files);
    return false;
  }
  const { number, name, checksum, text } = next;
  done.add(number);
  const { layout } = target;
  // These come before the record, because they show for which cluster the database is made.
  for (const query of layout === undefined ? [] : shardUserStatements(layout)) await target.command(query);
  await target.command(`
      CREATE TABLE IF NOT EXISTS migrations
      (number UInt32, name String, checksum String, applied_at DateTime('UTC') DEFAULT now())
      ENGINE = MergeTree ORDER BY number
      COMMENT 'Which schema files were applied to this database'`);
  for (const statement of splitStatements(text)) {
    const queries = layout === undefined ? [statement] : toClusterStatements(statement, layout);
    for (const query of queries) await target.command(query);
  }
  await target.command(
    `INSERT INTO migrations (number, name, checksum)
     SELECT {number:UInt32}, {name:String}, {checksum:String}`,
    { number, name, checksum },
  );
  log.info({ store: 'clickhouse', migration: name }, 'A migration was applied.');
  return true;
}

/** Waits until the records of all files show. @throws MigrationError when one does not. */
async function awaitRecords(target: Target, files: Migration[]): Promise<void> {
  for (let look = 1; ; look++) {
    const [lost] = pendingOf('clickhouse', files, await loadAppliedInClickHouse(target));
    if (lost === undefined) return;
    if (look === recordLooks) {
      throw new MigrationError(
        `${lost.name} was applied to the ClickHouse database, but its record is not in the table migrations. Let the user insert into that table and read it.`,
      );
    }
    await delay(recordPauseMs);
  }
}

/**
 * Checks that the tables of the database were made for this cluster, or without a cluster when there is none. Otherwise
 * rows would be counted in part or not be found.
 *
 * @throws MigrationError when the layout differs.
 */
export async function assertLayout(target: Target): Promise<void> {
  const tables = await target.loadRows(tableRow, {
    query: `
      SELECT name, extract(engine_full, '^Distributed\\(\\'([^\\']*)') AS cluster FROM system.tables
      WHERE database = currentDatabase() AND name IN ('migrations', '${shardUsersTable}')`,
    rowsMax: 2,
  });
  if (tables.length === 0) return;
  const cluster = tables.find(({ name }) => name === shardUsersTable)?.cluster;
  if (cluster === target.layout?.name) return;
  const made = cluster === undefined ? 'without a cluster' : `for the cluster "${cluster}"`;
  const remedy = cluster === undefined ? 'unset CLICKHOUSE_CLUSTER' : `set CLICKHOUSE_CLUSTER to ${cluster}`;
  throw new MigrationError(
    `The tables of the ClickHouse database were made ${made}. Either ${remedy}, or copy the rows as /docs/cluster of the service says.`,
  );
}

export async function loadAppliedInClickHouse(target: Target): Promise<AppliedMigration[]> {
  const [table] = await target.loadRows(existsRow, { query: 'EXISTS TABLE migrations', rowsMax: 1 });
  if (table?.result !== 1) return [];
  // Two installations that migrate one ClickHouse at the same time both leave a row.
  return target.loadRows(appliedRow, {
    query: 'SELECT DISTINCT number, name, checksum FROM migrations ORDER BY number',
    rowsMax: appliedMax,
  });
}

/** A hundred times as many as there are. */
const appliedMax = 1_500;
const name = Type.String({ maxLength: 200 });
const tableRow = rowType(Row({ name, cluster: name }));
const existsRow = rowType(Row({ result: Type.Integer() }));
const appliedRow = rowType(Row({ number: Type.Integer(), name, checksum: Type.String({ maxLength: 64 }) }));
