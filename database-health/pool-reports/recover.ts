import type { BlockId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { type BlockDeps, forgetBlock, isOfBlock, sealBlock, storeBlock } from './store-block.js';

/** Younger blocks are still under way on the instance that wrote them down; two would do no harm, but the work twice. */
const leftAloneMs = 5_000;
/** The rest has its turn a minute later. */
const blocksOfRunMax = 500;
/** A block of an instance whose clock is ahead by more was written down before the clock was put back. */
const clocksDifferMsMax = 60_000;

/**
 * Brings a block that is written down to ClickHouse, unless it is there, and notes that it is.
 *
 * @throws an error of either store; the block then waits on.
 */
export async function recoverBlock(deps: BlockDeps, id: BlockId): Promise<void> {
  const block = await sealBlock(deps, id);
  if (block === undefined) return;
  await storeBlock(deps, block);
  await forgetBlock(deps, id);
}

/**
 * Brings all blocks to ClickHouse that an instance left behind when it died. One that is refused does not keep the
 * others; when a store is away nothing more is tried.
 *
 * @throws the first error.
 */
export async function recoverBlocks(deps: BlockDeps & { log: Log }): Promise<void> {
  const now = deps.clock.now();
  const [before, after] = [new Date(now - leftAloneMs), new Date(now + clocksDifferMsMax)];
  const blocks = await deps.sql<{ id: BlockId }[]>`
    select id from pool_blocks where created_at < ${before} or created_at > ${after}
    order by created_at limit ${blocksOfRunMax}`;
  const errors: unknown[] = [];
  for (const { id } of blocks) {
    try {
      await recoverBlock(deps, id);
      deps.log.info({ blockId: id }, 'A block of pool reports that was left behind is stored.');
    } catch (error) {
      errors.push(error);
      if (!isOfBlock(error)) break;
    }
  }
  if (errors.length > 0) throw errors[0];
}
