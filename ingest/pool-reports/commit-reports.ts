import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseError } from '@clickhouse/client';
import type { Clock } from '../../contract/clock.js';
import { ApiError } from '../../contract/errors.js';
import { type BlockId, newId } from '../../contract/ids.js';
import type { Log } from '../../contract/log.js';
import type { StoredPoolReport } from '../../contract/pool-row.js';
import { isServerLost } from '../../sql/lost-server.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withTimeout } from '../../sql/with-timeout.js';
import { insertPoolReports } from '../insert-pool-reports.js';
import type { Accepted, PoolReportMetrics, Waiting } from './accept.js';
import type { IncomingReport } from './incoming.js';
import { type Decision, recordBlock } from './record-block.js';
import { forgetBlock, recoverBlock } from './recover.js';

/** Blocks that this instance wrote down and could not bring to ClickHouse. */
export type Unfinished = Set<BlockId>;

type Deps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  metrics: PoolReportMetrics;
  unfinished: Unfinished;
  isClosing(): boolean;
};

/** Of a transaction; the driver has no timeout of its own for a server that is silent. */
const recordMsMax = 5_000;
/** For how long an insert is repeated; a ClickHouse that restarts is back within it. */
const giveUpAfterMs = 8_000;
const giveUpAfterCloseMs = 2_000;
const retryMs = { first: 100, max: 1_000 };
/** Blocks in PostgreSQL, of all instances, beyond which no more are added to those that ClickHouse refuses. */
const refusedBlocksMax = 100;

/** Brings reports to both stores, and tells each who waits what became of his. Does not reject. */
export async function commitReports(deps: Deps, waiting: readonly Waiting[]): Promise<void> {
  const id = newId<BlockId>(deps.clock.now());
  const reports = waiting.map(({ incoming }) => incoming);
  let decisions: Decision[];
  try {
    await finishOne(deps);
    const block = { id, reports, now: deps.clock.now() };
    decisions = await withTimeout(recordBlock(deps.sql, block), recordMsMax);
  } catch (error) {
    fail(deps, id, waiting, error);
    return;
  }
  const byBlock = settleDecided(deps, waiting, decisions);
  await Promise.all(
    [...byBlock].map(([blockId, held]) => bringToClickHouse(deps, blockId, held, blockId === id)),
  );
}

/** Acknowledges reports when ClickHouse has their block: the one at hand, or one that was left behind. */
async function bringToClickHouse(
  deps: Deps,
  id: BlockId,
  held: readonly Held[],
  isOurs: boolean,
): Promise<void> {
  try {
    await (isOurs ? storeBlock(deps, id, held) : recoverBlock(deps, id));
  } catch (error) {
    const waiting = held.map(({ waiter }) => waiter);
    fail(deps, id, waiting, error);
    return;
  }
  for (const { waiter, accepted } of held) settle(deps, waiter, accepted);
  // Nobody waits for this; what fails here the job does again.
  if (isOurs) await forgetBlock(deps.sql, id).catch(() => {});
}

function toStored({ pageId, receivedAt, report }: IncomingReport): StoredPoolReport {
  return { pageId, receivedAt, report };
}

/**
 * While blocks are left over, a new one is written down only after one of them has reached ClickHouse: an outage thus
 * leaves one block behind and not one for each attempt.
 */
async function finishOne({ unfinished, ...stores }: Deps): Promise<void> {
  const [id] = unfinished;
  if (id === undefined) return;
  try {
    await recoverBlock(stores, id);
  } catch (error) {
    // A server that answers may refuse this block alone; the job tries it again. Of many it refuses all: its disk is full.
    const isRefused = error instanceof ClickHouseError && !isServerLost(error);
    if (!isRefused || (await hasManyBlocks(stores.sql))) throw error;
  }
  unfinished.delete(id);
}

async function hasManyBlocks(sql: Sql): Promise<boolean> {
  const found = await withTimeout(sql`select 1 from pool_blocks limit ${refusedBlocksMax}`);
  return found.count === refusedBlocksMax;
}

/** A report that both stores will have, once a block has reached ClickHouse. */
type Held = { waiter: Waiting; accepted: Accepted };

/** Tells those whose outcome is known. Answers the others by the block that it depends on. */
function settleDecided(
  deps: Deps,
  waiting: readonly Waiting[],
  decisions: readonly Decision[],
): Map<BlockId, Held[]> {
  const byBlock = new Map<BlockId, Held[]>();
  for (const [i, { usage, verdict }] of decisions.entries()) {
    const waiter = waiting[i];
    if (waiter === undefined) throw new Error('More reports were decided than came.');
    if (verdict?.is === 'refused') {
      deps.metrics.decided('refused');
      waiter.outcome.reject(verdict.error);
      continue;
    }
    const accepted = { usage, duplicate: verdict?.duplicate };
    if (verdict?.blockId === undefined) {
      settle(deps, waiter, accepted);
      continue;
    }
    const held = byBlock.get(verdict.blockId) ?? [];
    held.push({ waiter, accepted });
    byBlock.set(verdict.blockId, held);
  }
  return byBlock;
}

function settle({ metrics }: Deps, { outcome }: Waiting, accepted: Accepted): void {
  const { duplicate } = accepted;
  metrics.decided(duplicate === undefined ? 'refused' : duplicate ? 'duplicate' : 'stored');
  outcome.resolve(accepted);
}

/** Repeated unchanged under one id: an attempt whose answer was lost may have stored it, in all tables or in some. */
async function storeBlock(deps: Deps, id: BlockId, held: readonly Held[]): Promise<void> {
  const { clock, metrics, unfinished } = deps;
  const reports = held
    .filter(({ accepted }) => accepted.duplicate === false)
    .map(({ waiter }) => toStored(waiter.incoming));
  const startedAt = clock.now();
  for (let pauseMs = retryMs.first; ; pauseMs = Math.min(2 * pauseMs, retryMs.max)) {
    try {
      await insertPoolReports(deps, { id, reports });
      metrics.blockStored((clock.now() - startedAt) / 1000);
      return;
    } catch (error) {
      metrics.insertFailed();
      const msMax = deps.isClosing() ? giveUpAfterCloseMs : giveUpAfterMs;
      // A clock that was put back meanwhile ends it, too.
      if (Math.abs(clock.now() + pauseMs - startedAt) >= msMax) {
        unfinished.add(id);
        throw error;
      }
      await sleep(pauseMs);
    }
  }
}

function fail({ log, metrics }: Deps, blockId: BlockId, waiting: readonly Waiting[], error: unknown): void {
  log.warn({ error: String(error), blockId, reports: waiting.length }, 'Pool reports were not acknowledged.');
  for (const { outcome } of waiting) {
    metrics.decided('failed');
    outcome.reject(new ApiError('storeUnavailable', undefined, { 'retry-after': '5' }));
  }
}
