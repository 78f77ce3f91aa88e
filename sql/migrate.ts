import type { ClickHouseClient } from '@clickhouse/client';
import type { Log } from '../lib/log.js';
import { minuteMs } from '../lib/times.js';
import { type ClusterAddress, onEachServer, type Server } from './cluster-servers.js';
import { inTransaction } from './in-transaction.js';
import {
  applyNextToClickHouse,
  assertLayout,
  loadAppliedInClickHouse,
  type Target,
  targetOf,
} from './migrate-clickhouse.js';
import {
  type AppliedMigration,
  loadMigrations,
  type Migration,
  MigrationError,
  pendingOf,
  type Store,
} from './migration-files.js';
import type { Sql, Transaction } from './open-postgres.js';
import type { OwnStoreSession } from './own-store/own-event-store.js';

type Stores = { sql: Sql; clickhouse: ClickHouseClient };

/** Key of the advisory lock. The value is arbitrary, but every version of the service must use the same one. */
const migrationLock = 4_803_911_275;

/**
 * Brings both stores to the schema of this code. Each store records which files were applied to it, so that a store that
 * is restored alone, or shared by a second installation, gets exactly the files that it lacks.
 *
 * Any number of instances may call this at the same time: a lock in PostgreSQL lets one of them work at a time, on
 * ClickHouse as well. A PostgreSQL file and its record are one transaction. ClickHouse has no transactions; the
 * statements of a file can be repeated, and its record follows the last of them. With `cluster`, every server of the
 * cluster gets the tables and its own record, so that a server that is added later gets them at the next start.
 *
 * @throws MigrationError when a database is newer than this code, when a file is not the one that was applied, when the
 *   database was made for another cluster, or when a file is missing and a server of the cluster does not answer.
 */
export async function migrate({
  sql,
  clickhouse,
  cluster,
  log,
}: Stores & { cluster?: ClusterAddress | undefined; log: Log }): Promise<void> {
  const onServers = async (work: (server: Server) => Promise<void>) => {
    if (cluster !== undefined) return onEachServer({ clickhouse, cluster }, work);
    await work({ clickhouse });
    return { silent: [] };
  };
  // Checks both stores before it changes one of them.
  const files = await loadMigrations('clickhouse');
  let lacking = 0;
  const { silent } = await onServers(async (server) => {
    const target = targetOf(server);
    await assertLayout(target);
    lacking += pendingOf('clickhouse', files, await loadAppliedInClickHouse(target)).length;
  });
  if (silent.length > 0 && lacking > 0) {
    throw new MigrationError(
      `Servers of the ClickHouse cluster do not answer (${silent.join(', ')}), and its tables need an update. Start the service again when all servers answer.`,
    );
  }
  if (silent.length > 0) log.warn({ servers: silent }, 'Servers of the ClickHouse cluster do not answer.');
  await migratePostgres({ sql, log });
  if (lacking === 0) return;
  // Takes the lock for each file separately, so that its transaction never waits long for ClickHouse.
  await onServers(async (server) => {
    const target = targetOf(server);
    const done = new Set<number>();
    while (await underLock(sql, () => applyNextToClickHouse(target, files, done, log)));
  });
}

/**
 * Migrates PostgreSQL alone as migrate() does, so that a key can be revoked while ClickHouse is down.
 *
 * @param upTo number of the last file to apply, for the rows of an older backup; all when absent.
 * @throws MigrationError as migrate() does.
 */
export async function migratePostgres({
  sql,
  log,
  upTo = Number.POSITIVE_INFINITY,
}: {
  sql: Sql;
  log: Log;
  upTo?: number;
}): Promise<void> {
  const files = (await loadMigrations('postgres')).filter(({ number }) => number <= upTo);
  if (pendingOf('postgres', files, await loadAppliedInPostgres(sql)).length === 0) return;
  while (await underLock(sql, (tx) => applyNextToPostgres(tx, files, log)));
}

/**
 * Migrates ClickHouse alone as migrate() does. It takes no lock: two instances may do it at the same time.
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
  await migrateTarget(targetOf({ clickhouse }), log);
}

/**
 * Migrates the event store of a page as migrateClickHouse() does.
 *
 * @throws MigrationError as migrate() does; OwnStoreError.
 */
export async function migrateOwnStore({
  session,
  log,
}: {
  session: OwnStoreSession;
  log: Log;
}): Promise<void> {
  await migrateTarget(session, log);
}

async function migrateTarget(target: Target, log: Log): Promise<void> {
  const files = await loadMigrations('clickhouse');
  await assertLayout(target);
  const done = new Set<number>();
  while (await applyNextToClickHouse(target, files, done, log));
}

/**
 * Returns the files that migrate() would apply, as `store/name`; none when both stores have the schema of this code.
 *
 * @throws MigrationError as migrate() does.
 */
export async function pendingMigrations({ sql, clickhouse }: Stores): Promise<string[]> {
  const stores = [
    { store: 'postgres', applied: await loadAppliedInPostgres(sql) },
    { store: 'clickhouse', applied: await loadAppliedInClickHouse(targetOf({ clickhouse })) },
  ] as const;
  const pending = stores.map(async ({ store, applied }) =>
    pendingOf(store, await loadMigrations(store), applied).map((file) => `${store}/${file.name}`),
  );
  return (await Promise.all(pending)).flat();
}

/** Loads what was applied to each store. */
export async function loadApplied({ sql, clickhouse }: Stores): Promise<Record<Store, AppliedMigration[]>> {
  return {
    postgres: await loadAppliedInPostgres(sql),
    clickhouse: await loadAppliedInClickHouse(targetOf({ clickhouse })),
  };
}

/** A statement may wait for the lock, or take 10 minutes; a server that hangs is noticed after them. */
const migrationLimits = { queryTimeoutMs: 11 * minuteMs };

/** The lock belongs to the transaction, so that it ends with it behind a pooler as well. */
async function underLock<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(
    sql,
    async (tx) => {
      await tx`set local statement_timeout = '10min'`;
      await tx`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
      return work(tx);
    },
    migrationLimits,
  );
}

async function applyNextToPostgres(tx: Transaction, files: Migration[], log: Log): Promise<boolean> {
  // This comes first because it reads the catalog again: to_regclass() may answer from before the wait for the lock.
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
  log.info({ store: 'postgres', migration: next.name }, 'A migration was applied.');
  return true;
}

async function loadAppliedInPostgres(sql: Sql): Promise<AppliedMigration[]> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('migrations') is not null as exists`;
  return table?.exists === true ? selectApplied(sql) : [];
}

async function selectApplied(sql: Sql | Transaction): Promise<AppliedMigration[]> {
  return sql<AppliedMigration[]>`select number, name, checksum from migrations order by number`;
}
