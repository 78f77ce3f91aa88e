import type { Log } from '../../lib/log.js';
import type { Block } from '../commit/collapse.js';
import type { CommitMetrics } from '../commit/commit.js';
import { encodeInSlices } from '../commit/encode-block.js';
import {
  type BlockStore,
  type EncodedBlock,
  type HoldingBuffer,
  insertWithin,
} from '../commit/store-block.js';

export type DeliverBlockDeps = {
  store: BlockStore;
  buffer: Pick<HoldingBuffer, 'remove' | 'release'>;
  log: Log;
  metrics: CommitMetrics;
};

/** A block that the buffer holds. */
type Held = {
  readonly token: string;
  readonly block: Block;
  /** Parts that the buffer has. */
  readonly parts: number;
  /** Whether the buffer may have another part, so that the block in memory may lack something. */
  readonly isInDoubt: boolean;
};

/** With the wait for three blocks before it, 32 s at most: the buffer holds a block for 45 s. */
const attemptMsMax = 4_500;

/**
 * Brings a held block to its store in one attempt. Leaves it to the delivery of the buffer when the store does not take
 * it, when the block is in doubt, and when `stopping` is aborted.
 */
export async function deliverBlock(
  deps: DeliverBlockDeps,
  { token, block, parts, isInDoubt }: Held,
  stopping: AbortSignal,
): Promise<void> {
  if (parts === 0 && !isInDoubt) return;
  const { buffer, log } = deps;
  const { rows, events } = block;
  const isStored =
    !isInDoubt &&
    !stopping.aborted &&
    (await insert(deps, { token, bytes: await encodeInSlices(block), rows, events }, stopping));
  try {
    await (isStored ? buffer.remove(token) : buffer.release(token));
  } catch (error) {
    log.warn(
      { error: String(error), token, events },
      'The outcome of a block could not be noted in the delivery buffer. It is delivered again, and counts once.',
    );
  }
}

/** Returns whether the store has the block. */
async function insert(
  { store, log, metrics }: DeliverBlockDeps,
  block: EncodedBlock,
  stopping: AbortSignal,
): Promise<boolean> {
  const { token, rows, events } = block;
  const startedAt = performance.now();
  try {
    await insertWithin(store, block, attemptMsMax, stopping);
    metrics.inserted({ rows, events, seconds: (performance.now() - startedAt) / 1000 });
    return true;
  } catch (error) {
    metrics.insertFailed();
    log.warn(
      { error: String(error), token, events },
      'A block could not be stored; it waits in the delivery buffer.',
    );
    return false;
  }
}
