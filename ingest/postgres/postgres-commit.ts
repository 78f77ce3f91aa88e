import { randomUUID } from 'node:crypto';
import type { Log } from '../../lib/log.js';
import { createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError } from '../../lib/service-error.js';
import { claimBatchIds } from '../batch-ids/claim-batch-ids.js';
import { NotHeldError } from '../buffer/held-blocks.js';
import type { Block, Events } from '../commit/collapse.js';
import type { Arrival, Commit, CommitMetrics, Committed } from '../commit/commit.js';
import { encodeBlock } from '../commit/encode-block.js';
import type { BlockStore, HoldingBuffer } from '../commit/store-block.js';
import type { Source } from '../names/names.js';
import { createOpenBlocks, type OpenBlocks } from './open-blocks.js';
import { addToWrite, blockWithout, clearWrite, type Entry, fits, makeWrite, type Write } from './write.js';

/** The id of a batch, and how the batch is acknowledged. */
export type Identity<Answer> = {
  /** As of batchKeyOf(). */
  key: string;
  /** Makes the answer for a batch that is stored; `undefined` stands for one that left nothing to store. */
  describe(committed: Committed | undefined): Answer;
};

/** `acknowledgement` is the one that the first batch of the id got. */
export type OnceOutcome<Answer> = { acknowledgement: Answer; isDuplicate: boolean };

/** Acknowledges batches from PostgreSQL. */
export type PostgresCommit = Commit & {
  /**
   * Adds a batch with an id, as add() does, or the block that one has collapsed into. Each id counts once. The batch may be empty
   * and have no callers; its id is taken all the same.
   *
   * @throws ServiceError as add() does. The batch may have been stored then; sent again under its id, it counts once.
   */
  addOnce<Answer>(
    content: Events | Block,
    callers: readonly Source[],
    arrival: Arrival,
    identity: Identity<Answer>,
  ): Promise<OnceOutcome<Answer>>;
};

type Deps = { store: BlockStore; buffer: HoldingBuffer; log: Log; metrics: CommitMetrics };

/** Acknowledgements of a write, by the place of the batch in it. */
type Outcome = readonly OnceOutcome<unknown>[];

/** The fewer writes, the less PostgreSQL has to do for each batch; after a pause up to `burst` writes do not wait. */
const paceMs = 5;
const burst = 10;
/** While the store takes nothing, each write is a block of its own in the buffer: fewer and larger ones are better. */
const paceMsBehind = 1_000;
/** A write in flight for longer means that PostgreSQL hangs. New batches are refused until it is through. */
const stalledAfterMs = 7_000;
const writeMsMax = 3_500;
/** A write with less time is not made: it would hardly have the time to succeed. */
const writeMsMin = 250;
const lookMsMax = 2_000;
/** A write ends this long before the first of its senders is answered in any case. */
const answerMs = 500;
/** A batch with less time before its answer is refused: there may be a write before its own. */
const timeMsMin = writeMsMax + answerMs;

/**
 * Writes batches to PostgreSQL, and acknowledges them when the transaction is committed. The ids of batches and the block
 * that their events collapse into are in the same one: neither is there without the other, whatever crashes. The writes
 * of about a second then go to the store as one block; until the store has it, PostgreSQL has its parts, and the store
 * counts its token once.
 */
export function createPostgresCommit({ store, buffer, log, metrics }: Deps): PostgresCommit {
  const spare: Write[] = [];
  /** Batches with an id on their way, by page and key: an equal one that arrives meanwhile waits for the first. */
  const inFlight = new Map<string, Promise<OnceOutcome<unknown>>>();
  const openBlocks = createOpenBlocks({ store, buffer, log, metrics });
  const outbox = createOutbox<Write, Outcome>({
    makeBlock: () => spare.pop() ?? makeWrite(),
    commit: (write, _closing, answerBy) => commit(write, answerBy),
    paceMs: () => (buffer.behind ? paceMsBehind : paceMs),
    burst,
    stalledAfterMs,
    // The write that waits would take as long once more, and its senders are answered after 8.5 s.
    refusesWaiting: true,
  });

  async function commit(write: Write, answerBy: number): Promise<Outcome> {
    try {
      const isWaiting = buffer.behind && (await looksBehind());
      return await keepWrite(write, { buffer, openBlocks, isWaiting, answerBy });
    } catch (error) {
      log.error(
        { error: String(error), batches: write.entries.length },
        'Batches could not be written to PostgreSQL; their senders get an error.',
      );
      throw new ServiceError('storeUnavailable', { retryAfterSeconds: 5 });
    } finally {
      clearWrite(write);
      spare.push(write);
    }
  }

  /** Takes an unanswered question for a no: the block then goes to the store, and to the buffer if that fails. */
  async function looksBehind(): Promise<boolean> {
    return buffer.look(lookMsMax).catch(() => false);
  }

  /** Adds a batch whose id, if it has one, is not on its way yet. `content` has been copied when this returns. */
  async function addFirst(
    content: Events | Block,
    callers: readonly Source[],
    { pageId, at, answerBy }: Arrival,
    { key, describe }: Pick<Entry, 'key' | 'describe'>,
  ): Promise<OnceOutcome<unknown>> {
    if (answerBy - performance.now() < timeMsMin)
      throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
    const { block: write, outcome } = outbox.join((waiting) => fits(waiting, content, callers), answerBy);
    const place = addToWrite(write, content, callers, { pageId, at, key, describe });
    const answered = (await outcome)[place];
    if (answered === undefined) throw new Error('A batch was left out of its write.');
    return answered;
  }

  return {
    async add(batch, callers, arrival) {
      const { acknowledgement } = await addFirst(batch, callers, arrival, withoutId);
      // As `withoutId` has described it.
      return acknowledgement as Committed;
    },
    async addOnce<Answer>(
      content: Events | Block,
      callers: readonly Source[],
      arrival: Arrival,
      identity: Identity<Answer>,
    ) {
      const id = `${arrival.pageId} ${identity.key}`;
      const first = inFlight.get(id);
      const outcome = first ?? addFirst(content, callers, arrival, identity);
      if (first === undefined) {
        inFlight.set(id, outcome);
        const forget = (): void => void inFlight.delete(id);
        outcome.then(forget, forget);
      }
      const { acknowledgement, isDuplicate } = await outcome;
      // No reporter has the key of a v1 batch, so the answer that was described under a key has this form.
      return { acknowledgement: acknowledgement as Answer, isDuplicate: isDuplicate || first !== undefined };
    },
    settle: openBlocks.settle,
    async close() {
      await outbox.close();
      await openBlocks.close();
    },
    get waitingEvents() {
      return outbox.waiting?.record.events ?? 0;
    },
  };
}

const withoutId = { key: undefined, describe: (committed: Committed | undefined) => committed };

type Target = {
  buffer: HoldingBuffer;
  openBlocks: OpenBlocks;
  /** Whether blocks wait for the store, so that this one goes behind them. */
  isWaiting: boolean;
  answerBy: number;
};

/** Writes the ids of the batches, and the block of those whose id was free, in one transaction. */
async function keepWrite(
  write: Write,
  { buffer, openBlocks, isWaiting, answerBy }: Target,
): Promise<Outcome> {
  const timeoutMs = Math.min(writeMsMax, answerBy - answerMs - performance.now());
  if (timeoutMs < writeMsMin) throw new Error('The writes before it took too long.');
  const fresh = write.entries.map(({ hasContent, rows, describe }) =>
    describe(hasContent ? { rows, writtenTo: 'postgres', isWaiting } : undefined),
  );
  const claims = write.entries.flatMap(({ pageId, key }, place) =>
    key === undefined ? [] : { pageId, key, acknowledgement: fresh[place], place },
  );
  let late: ReadonlyMap<number, unknown> = new Map();
  let block: Block | undefined;
  let bytes = 0;
  const target = isWaiting ? undefined : openBlocks.join(write.block);
  const token = target?.token ?? randomUUID();
  try {
    await buffer.keep(
      async (tx, now) => {
        if (claims.length > 0) late = await claimBatchIds(tx, claims, now);
        block = blockWithout(write, late);
        if (block === undefined) return undefined;
        const { rows, events } = block;
        const encoded = encodeBlock(block);
        bytes = encoded.length;
        return { token, bytes: encoded, rows, events };
      },
      { part: target?.parts, timeoutMs },
    );
  } catch (error) {
    if (target !== undefined) openBlocks.end(target, undefined);
    // The next attempt joins a new block, which this process holds.
    if (error instanceof NotHeldError) return keepWrite(write, { buffer, openBlocks, isWaiting, answerBy });
    throw error;
  }
  if (target !== undefined) openBlocks.end(target, { block, bytes, batches: write.entries });
  return fresh.map((acknowledgement, place) =>
    late.has(place)
      ? { acknowledgement: late.get(place), isDuplicate: true }
      : { acknowledgement, isDuplicate: false },
  );
}
