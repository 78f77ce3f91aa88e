import type { Clock } from '../../contract/clock.js';
import type { BlockId } from '../../contract/ids.js';
import type { Log } from '../../contract/log.js';
import type { StoredPoolReport } from '../../contract/pool-row.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withTimeout } from '../../sql/with-timeout.js';
import { insertPoolReports } from '../insert-pool-reports.js';
import { unpackReports } from './pack-reports.js';

type Deps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock };

/** Younger blocks are still under way on the instance that wrote them down. */
const leftAloneMs = 15_000;
/** Eight instances at full pace store 9,600 blocks in this time, and ClickHouse remembers ten thousand. */
const surelyRememberedMs = 60_000;
/** Half of what it remembers, because a block of two days counts twice. */
const laterBlocksMax = 5_000;
const lookUpMsMax = 10_000;

/**
 * Brings a block that is written down to ClickHouse, unless it is there, and notes that it is. Any number may do so at
 * a time: what is inserted is the same under the same id, and counts once.
 *
 * @throws an error of either store; the block then waits on.
 */
export async function recoverBlock({ sql, clickhouse, clock }: Deps, id: BlockId): Promise<void> {
  const [block] = await withTimeout(
    sql<{ created_at: Date; body: Buffer }[]>`select created_at, body from pool_blocks where id = ${id}`,
  );
  if (block === undefined) return;
  const createdAt = block.created_at.getTime();
  const isOld = clock.now() - createdAt > surelyRememberedMs;
  const held = isOld ? await findStoredLongAgo(clickhouse, id, createdAt) : new Set();
  const missing = unpackReports(block.body).filter((stored) => !held.has(nameOf(stored)));
  if (missing.length > 0) await insertPoolReports({ clickhouse }, { id, reports: missing });
  await forgetBlock(sql, id);
}

/** Notes that ClickHouse has the block. */
export async function forgetBlock(sql: Sql, id: BlockId): Promise<void> {
  await withTimeout(sql`delete from pool_blocks where id = ${id}`);
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
  id: BlockId,
  createdAt: number,
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
 * Brings all blocks to ClickHouse that an instance left behind when it died or gave up. One that fails does not keep
 * the others.
 *
 * @throws the first error, when all were tried.
 */
export async function recoverBlocks(deps: Deps & { log: Log }): Promise<void> {
  const before = new Date(deps.clock.now() - leftAloneMs);
  const blocks = await deps.sql<{ id: BlockId }[]>`
    select id from pool_blocks where created_at < ${before} order by created_at`;
  const errors: unknown[] = [];
  for (const { id } of blocks) {
    try {
      await recoverBlock(deps, id);
      deps.log.info({ blockId: id }, 'A block of pool reports that was left behind is stored.');
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
