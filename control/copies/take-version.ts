import type { Log } from '../../lib/log.js';
import type { ClusterAddress } from '../../sql/cluster-servers.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { underCopyLock } from './copy-lock.js';
import { loadStamps } from './stamps.js';

export type CopyDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  /** The cluster that holds the copies; absent for a server that stands alone. */
  cluster?: ClusterAddress | undefined;
  log: Log;
};

/**
 * Takes a version above all others, and commits it before any copy has it. It follows the clock, so that a backup of PostgreSQL
 * that is restored goes on above the versions from after the backup. Compares the stores before, since the next copy hides
 * how they differ. Returns `undefined` while another instance copies.
 *
 * @throws the errors of the drivers.
 */
export function takeVersion(deps: CopyDeps): Promise<string | undefined> {
  return underCopyLock(deps.sql, async (tx) => {
    await compare(tx, deps);
    const [row] = await tx<{ taken: string }[]>`
      update copies_state set taken = greatest(taken + 1, floor(extract(epoch from clock_timestamp()) * 1000000)::bigint)
      returning taken::text`;
    if (row === undefined) throw new Error('PostgreSQL lacks the row of copies_state.');
    return row.taken;
  });
}

/** Whether no other instance has taken a version since. Whoever has may copy rows that were read earlier than now. */
export async function isLastTaken(tx: Transaction, version: string): Promise<boolean> {
  const rows = await tx`select from copies_state where taken = ${version}::text::bigint`;
  return rows.length > 0;
}

/** Keeps that ClickHouse has the copies of this version. */
export async function keepVersion(tx: Transaction, version: string): Promise<void> {
  await tx`update copies_state set version = ${version}::text::bigint`;
}

/**
 * Begins to note all rows when ClickHouse does not have what the last copy brought, or has a copy that PostgreSQL knows nothing
 * of: one of them was restored from a backup, and the notes that would tell are gone. Copies that were cut off are between the
 * last version that arrived and the last one that was taken. Does nothing while another instance copies, which compares as well.
 *
 * @throws the errors of the drivers.
 */
export async function compareStores(deps: CopyDeps): Promise<void> {
  await underCopyLock(deps.sql, (tx) => compare(tx, deps));
}

async function compare(tx: Transaction, { clickhouse, cluster, log }: CopyDeps): Promise<void> {
  const state = await loadState(tx);
  const { lowest, highest } = await loadStamps(clickhouse, cluster);
  if (lowest >= state.version && highest <= state.taken) return;
  await tx`
    update copies_state set version = least(version, ${lowest}::bigint), noted_to = '{}',
      taken = greatest(taken, ${highest}::bigint), doubted = greatest(taken, ${highest}::bigint)`;
  log.info(
    { given: `${state.version}`, stored: `${highest}` },
    'ClickHouse and PostgreSQL do not fit together, so all rows are copied again.',
  );
}

type State = { version: bigint; taken: bigint };

/** Loads the one row of the copies. Where it is missing, adds it as the migration does: all rows are noted again then. */
async function loadState(tx: Transaction): Promise<State> {
  const [state] = await tx<State[]>`select version, taken from copies_state`;
  if (state !== undefined) return state;
  const [added] = await tx<State[]>`insert into copies_state default values returning version, taken`;
  if (added === undefined) throw new Error('PostgreSQL did not add the row of copies_state.');
  return added;
}
