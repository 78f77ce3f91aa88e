import { randomUUID } from 'node:crypto';
import type { Log } from '../../lib/log.js';
import { type Closing, createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError } from '../../lib/service-error.js';
import { Block, rowsMax } from './collapse.js';
import type { Commit, CommitMetrics } from './commit.js';
import { encodeBlock } from './encode-block.js';
import { type BlockBuffer, type BlockStore, type StoredIn, storeBlock, storeMsMin } from './store-block.js';

/** Bounds of the block that waits. A batch that would cross one of them is refused with `storeBusy`. */
const bounds = { rows: rowsMax - 2_000, events: 1_000_000, batches: 20_000 };
/**
 * Every insert makes a part in six tables, and merging parts is what wears a ClickHouse server out. Under sustained
 * load ten blocks leave a second; after a pause up to `burst` blocks leave without waiting.
 */
const paceMs = 100;
const burst = 10;
/** The buffer keeps a bounded number of blocks, so blocks that go there are fewer and larger. */
const paceMsBehind = 1_000;
/** A block in flight for longer means that store and buffer hang. New batches are refused until it is through. */
const stalledAfterMs = 7_000;

/**
 * Keeps one insert in flight. What arrives meanwhile forms the next block, in which equal rows of different batches
 * are one. A batch is acknowledged when the store has its block, or the buffer.
 */
export function createGroupCommit(deps: {
  store: BlockStore;
  buffer: BlockBuffer;
  log: Log;
  metrics: CommitMetrics;
  /** Brings what came in another way to the store. What is acknowledged here is in the store already. */
  settle?: Commit['settle'];
}): Commit {
  const { store, buffer, log, metrics } = deps;
  const { insertFailed } = metrics;
  const spare: Block[] = [];
  const outbox = createOutbox<Block, StoredIn>({
    makeBlock: () => spare.pop() ?? new Block(),
    commit,
    paceMs: () => (buffer.behind ? paceMsBehind : paceMs),
    burst,
    stalledAfterMs,
    // What waits would take as long once more, and its senders are answered after 8.5 s.
    refusesWaiting: true,
  });

  async function commit(block: Block, closing: Closing, answerBy: number): Promise<StoredIn> {
    const { rows, events } = block;
    try {
      const encoded = { token: randomUUID(), bytes: encodeBlock(block), rows, events };
      const startedAt = performance.now();
      const storedIn = await storeBlock({ store, buffer, log, insertFailed, closing }, encoded, answerBy);
      if (storedIn === 'store') {
        metrics.inserted({ rows, events, seconds: (performance.now() - startedAt) / 1000 });
      }
      return storedIn;
    } finally {
      block.clear();
      spare.push(block);
    }
  }

  return {
    /**
     * @throws ServiceError `storeBusy` also with less than 5 s to `answerBy`, and when the block before was not stored;
     *   `storeUnavailable` when neither store nor buffer took the block in time. The batch may then be stored all the
     *   same if only the answers were lost.
     */
    async add(batch, callers, { arrival, answerBy }) {
      if (answerBy - performance.now() < storeMsMin)
        throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
      const { block, outcome } = outbox.join((waiting) => fits(waiting, batch.length), answerBy);
      const rows = block.add(batch);
      for (const caller of callers) block.addReport(caller, arrival);
      const writtenTo = await outcome;
      return { rows, writtenTo, isWaiting: writtenTo === 'buffer' };
    },

    settle: deps.settle ?? (async () => undefined),

    close: outbox.close,

    get waitingEvents() {
      return outbox.waiting?.events ?? 0;
    },
  };
}

/** Whether a block has room for a batch of this many events; each of them may become a row. */
function fits(block: Block, events: number): boolean {
  return (
    block.rows + events < bounds.rows &&
    block.events + events <= bounds.events &&
    block.batches < bounds.batches
  );
}
