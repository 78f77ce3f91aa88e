import { randomUUID } from 'node:crypto';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError } from '../../lib/service-error.js';
import { Block, type Events, eventsMax, rowsMax } from '../commit/collapse.js';
import type { Commit, CommitMetrics, Committed, Incoming } from '../commit/commit.js';
import { encodeBlock } from '../commit/encode-block.js';
import type { BlockStore, HoldingBuffer } from '../commit/store-block.js';
import type { Source } from '../names/names.js';
import { EventRecord, recordVersion } from '../record/event-record.js';
import { ReplayNames, readBatches } from '../record/replay-record.js';
import { claimBatches } from './claim-batches.js';
import { createHeldBlocks } from './held-blocks.js';

/** The name of a batch, and how it is acknowledged. */
export type NamedBatch<Answer> = {
  /** As of batchKeyOf(). */
  key: string;
  /** Makes the answer for a batch that is stored; `undefined` stands for one that left nothing to store. */
  describe(committed: Committed | undefined): Answer;
};

/** `acknowledgement` is the one that the first batch of the name got. */
export type NamedOutcome<Answer> = { acknowledgement: Answer; isDuplicate: boolean };

/** Stores batches of one event store that have a name, each name once. */
export type NamedCommit = Pick<Commit, 'settle' | 'close' | 'waitingEvents'> & {
  /**
   * Adds a batch as Commit.add() does. It may be empty and have no callers; its name is taken all the same.
   *
   * @throws ServiceError `storeBusy` or `shuttingDown` when the batch is not taken, `storeUnavailable` when PostgreSQL
   *   did not answer in time. It may have been stored then; sent again under its name, it counts once.
   */
  add<Answer>(
    batch: Events,
    callers: readonly Source[],
    incoming: Incoming,
    named: NamedBatch<Answer>,
  ): Promise<NamedOutcome<Answer>>;
  /** Adds what is collapsed already; the rest is as in add(). */
  addBlock<Answer>(
    block: Block,
    callers: readonly Source[],
    incoming: Incoming,
    named: NamedBatch<Answer>,
  ): Promise<NamedOutcome<Answer>>;
};

type Deps = {
  store: BlockStore;
  buffer: HoldingBuffer;
  log: Log;
  metrics: CommitMetrics;
};

type Entry = {
  pageId: PageId;
  key: string;
  hasContent: boolean;
  rows: number;
  arrival: number;
  describe(committed: Committed | undefined): unknown;
};

/**
 * What leaves in one transaction. The record has the batches apart, for when one of them turns out to be a duplicate, and
 * `blocks` those that came collapsed, by their place.
 */
type Write = { block: Block; record: EventRecord; blocks: Map<number, Block>; entries: Entry[] };

/** Acknowledgements of a write, by the place of the batch in it. */
type Outcome = readonly NamedOutcome<unknown>[];

/** Bounds of the write that waits. A batch that would cross one of them is refused with `storeBusy`. */
const bounds = { rows: rowsMax - 2_000, events: eventsMax, recordBytes: 24 * 1024 * 1024, batches: 20_000 };
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
 * Writes the names of batches and the block that their events collapse into in one transaction of PostgreSQL, and
 * acknowledges them when it is committed: neither is there without the other, whatever crashes. The writes of about a
 * second then go to the store as one block; until the store has it, PostgreSQL has its parts, and the store counts its
 * token once.
 */
export function createNamedCommit({ store, buffer, log, metrics }: Deps): NamedCommit {
  const spare: Write[] = [];
  /** Batches on their way, by page and key: an equal one that arrives meanwhile waits for the first. */
  const inFlight = new Map<string, Promise<NamedOutcome<unknown>>>();
  const held = createHeldBlocks({ store, buffer, log, metrics });
  const outbox = createOutbox<Write, Outcome>({
    makeBlock: () =>
      spare.pop() ?? { block: new Block(), record: new EventRecord(), blocks: new Map(), entries: [] },
    commit: (write, _closing, answerBy) => commit(write, answerBy),
    paceMs: () => (buffer.behind ? paceMsBehind : paceMs),
    burst,
    stalledAfterMs,
    refusesWaiting: true,
  });

  async function commit(write: Write, answerBy: number): Promise<Outcome> {
    const { entries } = write;
    try {
      const isWaiting = buffer.behind && (await looksBehind());
      const fresh = entries.map(({ hasContent, rows, describe }) =>
        describe(hasContent ? { rows, writtenTo: 'buffer', isWaiting } : undefined),
      );
      return await keep(write, fresh, { isWaiting, answerBy });
    } catch (error) {
      log.error(
        { error: String(error), batches: entries.length },
        'Named batches could not be written to PostgreSQL; their senders get an error.',
      );
      throw new ServiceError('storeUnavailable', { retryAfterSeconds: 5 });
    } finally {
      recycle(write);
    }
  }

  async function keep(
    write: Write,
    fresh: readonly unknown[],
    { isWaiting, answerBy }: { isWaiting: boolean; answerBy: number },
  ): Promise<Outcome> {
    const timeoutMs = Math.min(writeMsMax, answerBy - answerMs - performance.now());
    if (timeoutMs < writeMsMin) throw new Error('The writes before it took too long.');
    const claims = write.entries.map(({ pageId, key }, place) => ({
      ...{ pageId, key, acknowledgement: fresh[place] },
    }));
    let late: ReadonlyMap<number, unknown> = new Map();
    let block: Block | undefined;
    let bytes = 0;
    const target = isWaiting ? undefined : held.join(write.block);
    const token = target?.token ?? randomUUID();
    try {
      await buffer.keep(
        async (tx, now) => {
          late = await claimBatches(tx, claims, now);
          block = blockWithout(write, late);
          const encoded = block && {
            token,
            bytes: encodeBlock(block),
            rows: block.rows,
            events: block.events,
          };
          bytes = encoded?.bytes.length ?? 0;
          return encoded;
        },
        { part: target?.parts, timeoutMs },
      );
    } catch (error) {
      if (target !== undefined) held.end(target, undefined);
      throw error;
    }
    if (target !== undefined) held.end(target, { block, bytes, batches: write.entries });
    return fresh.map((acknowledgement, place) =>
      late.has(place)
        ? { acknowledgement: late.get(place), isDuplicate: true }
        : { acknowledgement, isDuplicate: false },
    );
  }

  /** Takes an unanswered question for a no: the block then goes to the store, and to the buffer if that fails. */
  async function looksBehind(): Promise<boolean> {
    return buffer.look(lookMsMax).catch(() => false);
  }

  function recycle(write: Write): void {
    write.block.clear();
    write.record.clear();
    write.blocks.clear();
    write.entries = [];
    spare.push(write);
  }

  /** Adds a batch whose name is not on its way yet. `content` has been copied when this returns. */
  async function addFirst(
    content: Events | Block,
    callers: readonly Source[],
    { pageId, arrival, answerBy }: Incoming,
    { key, describe }: NamedBatch<unknown>,
  ): Promise<NamedOutcome<unknown>> {
    if (answerBy - performance.now() < timeMsMin)
      throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
    const more =
      content instanceof Block
        ? { rows: content.rows + callers.length, events: content.events }
        : { rows: content.length, events: content.length };
    const { block: write, outcome } = outbox.join((waiting) => fits(waiting, more), answerBy);
    const { block, record, blocks, entries } = write;
    const place = entries.length;
    let rows: number;
    if (content instanceof Block) {
      record.add(noEvents, callers, arrival);
      blocks.set(place, content);
      block.addBlock(content);
      rows = content.rows;
    } else {
      record.add(content, callers, arrival);
      rows = block.add(content);
    }
    for (const caller of callers) block.addReport(caller, arrival);
    entries.push({ pageId, key, hasContent: callers.length > 0, rows, arrival, describe });
    const answered = (await outcome)[place];
    if (answered === undefined) throw new Error('A batch was left out of its write.');
    return answered;
  }

  async function add<Answer>(
    content: Events | Block,
    callers: readonly Source[],
    incoming: Incoming,
    named: NamedBatch<Answer>,
  ): Promise<NamedOutcome<Answer>> {
    const id = `${incoming.pageId} ${named.key}`;
    const first = inFlight.get(id);
    const outcome = first ?? addFirst(content, callers, incoming, named);
    if (first === undefined) {
      inFlight.set(id, outcome);
      const forget = (): void => void inFlight.delete(id);
      outcome.then(forget, forget);
    }
    const { acknowledgement, isDuplicate } = await outcome;
    // The key of a reporter is never that of a v1 batch: what was described under it has the form of this answer.
    return { acknowledgement: acknowledgement as Answer, isDuplicate: isDuplicate || first !== undefined };
  }

  return {
    add,
    addBlock: add,
    settle: held.settle,
    async close() {
      await outbox.close();
      await held.close();
    },
    get waitingEvents() {
      return outbox.waiting?.record.events ?? 0;
    },
  };
}

/** What a batch that came collapsed adds to the record, besides its callers. */
const noFigures = { status: new Uint16Array(), at: new Float64Array(), latencyMs: new Float64Array() };
const noEvents: Events = { length: 0, source: [], endpoint: [], method: [], message: [], ...noFigures };

/** Whether a write has room for a batch of so many events, each of which may become a row, or of so many rows. */
function fits({ block, record, entries }: Write, more: { rows: number; events: number }): boolean {
  return (
    block.rows + more.rows < bounds.rows &&
    block.events + more.events <= bounds.events &&
    record.bytes < bounds.recordBytes &&
    record.fits(more.rows) &&
    entries.length < bounds.batches
  );
}

/** Returns what is to be stored of a write: everything, but for the batches that came late; `undefined` for nothing. */
function blockWithout(write: Write, late: ReadonlyMap<number, unknown>): Block | undefined {
  const kept = late.size === 0 ? write.block : collapseWithout(write, late);
  return kept.rows === 0 ? undefined : kept;
}

/** A block cannot give back what it has added up, so the other batches are collapsed once more. */
function collapseWithout({ record, blocks }: Write, late: ReadonlyMap<number, unknown>): Block {
  const block = new Block();
  const payload = Buffer.concat(record.chunks());
  const names = new ReplayNames();
  // A key that came both ways is one row again; as two, the rows might be more than a block can have.
  for (const collapsed of blocks.values()) names.adopt(collapsed);
  let place = 0;
  for (const { batch, callers, arrival } of readBatches({ version: recordVersion, payload }, names)) {
    if (!late.has(place)) {
      block.add(batch);
      for (const caller of callers) if (caller !== undefined) block.addReport(caller, arrival);
      const collapsed = blocks.get(place);
      if (collapsed !== undefined) block.addBlock(collapsed);
    }
    place += 1;
  }
  return block;
}
