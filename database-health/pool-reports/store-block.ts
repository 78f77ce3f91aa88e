import { ClickHouseError } from '@clickhouse/client';
import type { Clock } from '../../lib/clock.js';
import type { BlockId } from '../../lib/ids.js';
import { isServerLost } from '../../sql/lost-store.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { insertPoolReports } from './insert-pool-reports.js';
import { BrokenBlock, unpackReports } from './pack-reports.js';
import type { StoredPoolReport } from './pool-row.js';

export type BlockDeps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock };

/** A block to which nothing is added any more. Times are milliseconds since the epoch. */
export type SealedBlock = {
  id: BlockId;
  createdAt: number;
  sealedAt: number;
  reports: readonly StoredPoolReport[];
};

/** Eight instances at full pace store a thousand blocks in this time, and ClickHouse remembers ten thousand. */
const surelyRememberedMs = 60_000;
/** A quarter of what it remembers: a block of two days counts twice, and older ones may have come after it. */
const laterBlocksMax = 2_500;
const lookUpMsMax = 10_000;

/**
 * Closes a block, once those have ended who are adding to it, and answers all that was added; undefined when there is
 * no such block, because it was stored before.
 *
 * @throws BrokenBlock, or an error of PostgreSQL.
 */
export async function sealBlock({ sql, clock }: BlockDeps, id: BlockId): Promise<SealedBlock | undefined> {
  const [block] = await withQueryTimeout(
    sql<{ created_at: Date; sealed_at: Date }[]>`
      update pool_blocks set sealed_at = coalesce(sealed_at, ${new Date(clock.now())}) where id = ${id}
      returning created_at, sealed_at`,
  );
  if (block === undefined) return undefined;
  const parts = await withQueryTimeout(
    sql<{ body: Buffer }[]>`select body from pool_block_parts where block_id = ${id} order by number`,
  );
  return {
    id,
    createdAt: block.created_at.getTime(),
    sealedAt: block.sealed_at.getTime(),
    reports: parts.flatMap(({ body }) => unpackReports(body)),
  };
}

/**
 * Brings a block to ClickHouse, unless it is there. Any number may do so at a time: what is inserted is the same under
 * the same id, and counts once.
 *
 * @throws an error of ClickHouse; the block may then be there or not.
 */
export async function storeBlock({ clickhouse, clock }: BlockDeps, block: SealedBlock): Promise<void> {
  // Sealed later than now: the clock was put back.
  const isOld = Math.abs(clock.now() - block.sealedAt) > surelyRememberedMs;
  const held = isOld ? await findStoredLongAgo(clickhouse, block) : new Set();
  const missing = block.reports.filter((stored) => !held.has(nameOf(stored)));
  if (missing.length > 0) await insertPoolReports({ clickhouse }, { id: block.id, reports: missing });
}

/** Notes that ClickHouse has the block. */
export async function forgetBlock({ sql }: { sql: Sql }, id: BlockId): Promise<void> {
  await withQueryTimeout(sql`delete from pool_blocks where id = ${id}`);
}

/** Whether it is this block that is not stored, and not a store that is away. */
export function isOfBlock(error: unknown): boolean {
  return error instanceof BrokenBlock || (error instanceof ClickHouseError && !isServerLost(error));
}

/** Two pages may have the same session. */
const nameOf = ({ pageId, report: { session, sequence } }: StoredPoolReport): string =>
  `${pageId}/${session}/${sequence}`;

/**
 * Reports of the block that ClickHouse has and may not remember any more, so that they would count a second time; of
 * a cluster one shard may have its reports and another not. While it does remember, inserting the block again is
 * better: a table that an attempt did not reach then gets it.
 */
async function findStoredLongAgo(
  clickhouse: ClickHouseClient,
  { id, createdAt }: SealedBlock,
): Promise<ReadonlySet<string>> {
  const answer = await clickhouse.query({
    query: `
      SELECT
        groupUniqArrayIf(concatWithSeparator('/', page_id, session, sequence), block_id = {id:UUID}) AS held,
        uniqIf(block_id, received_at > fromUnixTimestamp64Milli({created:Int64})) AS later
      FROM pool_reports
      WHERE minute >= fromUnixTimestamp64Milli({created:Int64}) - INTERVAL 20 MINUTE`,
    query_params: { id, created: createdAt },
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(lookUpMsMax),
  });
  const [found] = await answer.json<{ held: string[]; later: string }>();
  return new Set(Number(found?.later) > laterBlocksMax ? found?.held : []);
}
