import { ClickHouseError } from '@clickhouse/client';
import type { Clock } from '../../lib/clock.js';
import type { BlockId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { minuteMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { isServerLost } from '../../sql/store-errors.js';
import { insertPoolReports } from './insert-pool-reports.js';
import { BrokenBlock, type StoredPoolReport, unpackReports } from './stored-reports.js';

export type BlockDeps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock };

/** A block to which nothing is added any more. Times are in milliseconds since the epoch. */
export type SealedBlock = {
  id: BlockId;
  createdAt: number;
  sealedAt: number;
  reports: readonly StoredPoolReport[];
};

/** Eight instances at full pace store a thousand blocks in this time, and ClickHouse remembers ten thousand. */
const surelyRememberedMs = minuteMs;
/** A quarter of what ClickHouse remembers: a block of two days counts twice, and older blocks may have come after it. */
const laterBlocksMax = 2_500;
const lookUpMsMax = 10_000;

/** Younger blocks are still handled by the instance that wrote them; two would do no harm, but the work twice. */
const leftAloneMs = 5_000;
/** Blocks that one run of the job recovers. The next run is a minute later. */
const blocksOfRunMax = 500;

/**
 * Seals a block, after every transaction that is adding to it has ended, and returns all that was added. Returns
 * `undefined` when there is no such block, because it was stored before.
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
 * Brings a block to ClickHouse, unless ClickHouse has it. Any number of instances may do so at a time: they insert the
 * same rows under the same id, and these count once.
 *
 * @throws an error of ClickHouse; the block may be stored or not.
 */
export async function insertBlock({ clickhouse, clock }: BlockDeps, block: SealedBlock): Promise<void> {
  // A block that was sealed later than now was sealed before the clock was put back.
  const isOld = Math.abs(clock.now() - block.sealedAt) > surelyRememberedMs;
  const held = isOld ? await findStoredLongAgo(clickhouse, block) : new Set();
  const missing = block.reports.filter((stored) => !held.has(nameOf(stored)));
  if (missing.length > 0) await insertPoolReports({ clickhouse }, { id: block.id, reports: missing });
}

/** Notes that ClickHouse has the block. */
export async function forgetBlock({ sql }: { sql: Sql }, id: BlockId): Promise<void> {
  await withQueryTimeout(sql`delete from pool_blocks where id = ${id}`);
}

/** Whether the error is about this one block, and not about a store that is unavailable. */
export function isOfBlock(error: unknown): boolean {
  return error instanceof BrokenBlock || (error instanceof ClickHouseError && !isServerLost(error));
}

/** Names a report. Two pages may have the same session. */
const nameOf = ({ pageId, report: { session, sequence } }: StoredPoolReport): string =>
  `${pageId}/${session}/${sequence}`;

/**
 * Finds the reports of the block that ClickHouse has and may not remember any more: they would count a second time. One
 * shard of a cluster may have the reports and another may not. While ClickHouse does remember the block, inserting it
 * again is better: a table that an attempt did not reach then gets the rows.
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

/**
 * Stores a block of PostgreSQL in ClickHouse, unless ClickHouse has it, and records that ClickHouse has it.
 *
 * @throws an error of either store; the block then keeps waiting.
 */
export async function recoverBlock(deps: BlockDeps, id: BlockId): Promise<void> {
  const block = await sealBlock(deps, id);
  if (block === undefined) return;
  await insertBlock(deps, block);
  await forgetBlock(deps, id);
}

/**
 * Brings all blocks to ClickHouse that an instance left behind when it died. A refused block does not hold up the
 * others; when a store is unavailable, nothing more is tried.
 *
 * @throws the first error.
 */
export async function recoverBlocks(deps: BlockDeps & { log: Log }): Promise<void> {
  const now = deps.clock.now();
  // A block that is further ahead than clocks differ was written before the clock was put back.
  const [before, after] = [new Date(now - leftAloneMs), new Date(now + clocksDifferMsMax)];
  const blocks = await deps.sql<{ id: BlockId }[]>`
    select id from pool_blocks where created_at < ${before} or created_at > ${after}
    order by created_at limit ${blocksOfRunMax}`;
  const errors: unknown[] = [];
  for (const { id } of blocks) {
    try {
      await recoverBlock(deps, id);
      deps.log.info({ blockId: id }, 'A block of pool reports of another instance was recovered.');
    } catch (error) {
      errors.push(error);
      if (!isOfBlock(error)) break;
    }
  }
  if (errors.length > 0) throw errors[0];
}
