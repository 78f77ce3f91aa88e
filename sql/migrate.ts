import type { ClickHouseClient } from '@clickhouse/client';
import type { Log } from '../contract/log.js';
import { inTransaction } from './in-transaction.js';
import {
  type AppliedMigration,
  type Migration,
  pendingOf,
  readMigrations,
  splitStatements,
} from './migration-files.js';
import type { Sql, Transaction } from './open-postgres.js';

type Stores = { sql: Sql; clickhouse: ClickHouseClient };

/** Any constant will do, as long as every version of the service takes the same. */
const migrationLock = 4_803_911_275;

/**
 * Brings both stores to the schema of this code. Each store keeps its own record of what was applied to it, so
 * that one restored alone, or shared by a second installation, is judged by what it really holds.
 *
 * Any number of instances may call this at the same moment: a lock in PostgreSQL lets one of them work at a
 * time, on ClickHouse as well. A PostgreSQL file and its record are one transaction. A ClickHouse file has no
 * transaction; its statements can be repeated, and its record follows the last of them.
 *
 * @throws MigrationError when a database is newer than this code, or a file is not the one that was applied.
 */
export async function migrate({ sql, clickhouse, log }: Stores & { log: Log }): Promise<void> {
  // Also refuses either store before the other one is touched.
  if ((await pendingMigrations({ sql, clickhouse })).length === 0) return;
  await migratePostgres({ sql, log });
  const files = await readMigrations('clickhouse');
  // The lock is taken for each file anew, so that its transaction never waits long for ClickHouse.
  while (await underLock(sql, () => applyNextToClickHouse(clickhouse, files, log)));
}

/**
 * migrate() for PostgreSQL alone, so that a key can be revoked while ClickHouse is down.
 *
 * @throws MigrationError as migrate() does.
 */
export async function migratePostgres({ sql, log }: { sql: Sql; log: Log }): Promise<void> {
  const files = await readMigrations('postgres');
  if (pendingOf('postgres', files, await readAppliedInPostgres(sql)).length === 0) return;
  while (await underLock(sql, (tx) => applyNextToPostgres(tx, files, log)));
}

/**
 * migrate() for ClickHouse alone. It has no lock of its own to keep a second instance away.
 *
 * @throws MigrationError as migrate() does.
 */
export async function migrateClickHouse({
  clickhouse,
  log,
}: {
  clickhouse: ClickHouseClient;
  log: Log;
}): Promise<void> {
  const files = await readMigrations('clickhouse');
  while (await applyNextToClickHouse(clickhouse, files, log));
}

/**
 * The files that migrate() would still apply, as `store/name`; none when both stores fit this code.
 *
 * @throws MigrationError as migrate() does.
 */
export async function pendingMigrations({ sql, clickhouse }: Stores): Promise<string[]> {
  const stores = [
    { store: 'postgres', applied: await readAppliedInPostgres(sql) },
    { store: 'clickhouse', applied: await readAppliedInClickHouse(clickhouse) },
  ] as const;
  const pending = stores.map(async ({ store, applied }) =>
    pendingOf(store, await readMigrations(store), applied).map((file) => `${store}/${file.name}`),
  );
  return (await Promise.all(pending)).flat();
}

/** The lock belongs to the transaction, because the embedded server has a single session for all connections. */
async function underLock<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const result = await inTransaction(sql, async (tx) => {
    await tx`set local statement_timeout = '10min'`;
    await tx`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
    return { value: await work(tx) };
  });
  return result.value;
}

async function applyNextToPostgres(tx: Transaction, files: Migration[], log: Log): Promise<boolean> {
  // First, because it looks at the catalog afresh: to_regclass() may answer from before the wait for the lock.
  await tx`
    create table if not exists migrations (
      number integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`;
  const [next] = pendingOf('postgres', files, await selectApplied(tx));
  if (next === undefined) return false;
  await tx.unsafe(next.text);
  await tx`insert into migrations (number, name, checksum) values (${next.number}, ${next.name}, ${next.checksum})`;
  log.info({ store: 'postgres', migration: next.name }, 'migration applied');
  return true;
}

async function applyNextToClickHouse(
  clickhouse: ClickHouseClient,
  files: Migration[],
  log: Log,
): Promise<boolean> {
  const [next] = pendingOf('clickhouse', files, await readAppliedInClickHouse(clickhouse));
  if (next === undefined) return false;
  const { number, name, checksum, text } = next;
  await clickhouse.command({
    query: `
      CREATE TABLE IF NOT EXISTS migrations
      (number UInt32, name String, checksum String, applied_at DateTime('UTC') DEFAULT now())
      ENGINE = MergeTree ORDER BY number
      COMMENT 'Which schema files were applied to this database'`,
  });
  for (const statement of splitStatements(text)) await clickhouse.command({ query: statement });
  await clickhouse.insert({
    table: 'migrations',
    values: [{ number, name, checksum }],
    format: 'JSONEachRow',
  });
  log.info({ store: 'clickhouse', migration: name }, 'migration applied');
  return true;
}

async function readAppliedInPostgres(sql: Sql): Promise<AppliedMigration[]> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('migrations') is not null as exists`;
  return table?.exists === true ? selectApplied(sql) : [];
}

async function selectApplied(sql: Sql | Transaction): Promise<AppliedMigration[]> {
  return sql<AppliedMigration[]>`select number, name, checksum from migrations order by number`;
}

async function readAppliedInClickHouse(clickhouse: ClickHouseClient): Promise<AppliedMigration[]> {
  const exists = await clickhouse.query({ query: 'EXISTS TABLE migrations', format: 'JSONEachRow' });
  const [table] = await exists.json<{ result: number }>();
  if (table?.result !== 1) return [];
  // Two installations that migrate one ClickHouse at the same moment both leave a row.
  const rows = await clickhouse.query({
    query: 'SELECT DISTINCT number, name, checksum FROM migrations ORDER BY number',
    format: 'JSONEachRow',
  });
  return rows.json<AppliedMigration>();
}
