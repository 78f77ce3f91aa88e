import { randomUUID } from 'node:crypto';
import type { Log } from '../../lib/log.js';
import { createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError } from '../../lib/service-error.js';
import { secondMs } from '../../lib/times.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Claim, claimBatchIds } from '../batch-ids/claim-batch-ids.js';
import { NotHeldError } from '../buffer/held-blocks.js';
import { packBlock } from '../buffer/packed-block.js';
import type { Block, Events } from '../commit/collapse.js';
import type { Arrival, Commit, CommitMetrics, Committed } from '../commit/commit.js';
import { encodeInSlices } from '../commit/encode-block.js';
import type { BlockStore, EncodedBlock, HoldingBuffer, PackedBlock } from '../commit/store-block.js';
import type { Source } from '../names/names.js';
import { createOpenBlocks, type OpenBlock, type OpenBlocks } from './open-blocks.js';
import { addToWrite, blockWithout, clearWrite, type Entry, fits, makeWrite, type Write } from './write.js';
import { writeTimes } from './write-times.js';

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

/** A batch of a write. */
type Joined = { outcome: Promise<Outcome>; place: number };

const { paceMs, paceMsBehind, burst, stalledAfterMs } = writeTimes;
const { writeMsMax, writeMsMin, lookMsMax, answerMs, timeMsMin, bytesPerCharacter } = writeTimes;
/** After a duplicate there may be more, as when a server was down; writes ask for the ids first for so long. */
const duplicatesMs = secondMs;

/**
 * Writes batches to PostgreSQL, and acknowledges them when the transaction is committed. The ids of batches and the
 * block that their events collapse into are in the same one: neither is there without the other, whatever crashes. The
 * writes of a second, or of five under load, then go to the store as one block; until the store has it, PostgreSQL has
 * its parts, and the store counts its token once.
 */
export function createPostgresCommit({ store, buffer, log, metrics }: Deps): PostgresCommit {
  const spare: Write[] = [];
  /** Batches with an id on their way, by page and key: an equal one that arrives meanwhile waits for the first. */
  const inFlight = new Map<string, Joined>();
  /** As of performance.now(). */
  let duplicatesUntil = Number.NEGATIVE_INFINITY;
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
      const expectsDuplicates = performance.now() < duplicatesUntil;
      const target = { buffer, openBlocks, isWaiting, expectsDuplicates, answerBy };
      const outcome = await keepWrite(write, target);
      if (outcome.some(({ isDuplicate }) => isDuplicate)) duplicatesUntil = performance.now() + duplicatesMs;
      return outcome;
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

  /**
   * Adds a batch to the write that waits. `content` has been copied when this returns; `name` is its name in `inFlight`.
   *
   * @throws ServiceError as add() does.
   */
  function join(
    content: Events | Block,
    callers: readonly Source[],
    { pageId, at, answerBy }: Arrival,
    { key, name, describe }: Pick<Entry, 'key' | 'name' | 'describe'>,
  ): Joined {
    if (answerBy - performance.now() < timeMsMin)
      throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
    const { block: write, outcome } = outbox.join((waiting) => fits(waiting, content, callers), answerBy);
    const place = addToWrite(write, content, callers, { pageId, at, key, name, describe });
    if (place === 0) forgetAfter(outcome, write.entries);
    return { outcome, place };
  }

  /** Once for a write: a handler for each of 2,000 batches in flight is a tenth of what they cost. */
  function forgetAfter(outcome: Promise<Outcome>, entries: readonly Entry[]): void {
    const forget = (): void => {
      for (const { name } of entries) if (name !== undefined) inFlight.delete(name);
    };
    outcome.then(forget, forget);
  }

  return {
    async add(batch, callers, arrival) {
      const { acknowledgement } = await answerTo(join(batch, callers, arrival, withoutId));
      // As `withoutId` has described it.
      return acknowledgement as Committed;
    },
    async addOnce<Answer>(
      content: Events | Block,
      callers: readonly Source[],
      arrival: Arrival,
      { key, describe }: Identity<Answer>,
    ) {
      const name = `${arrival.pageId} ${key}`;
      const first = inFlight.get(name);
      const joined = first ?? join(content, callers, arrival, { key, name, describe });
      if (first === undefined) inFlight.set(name, joined);
      const { acknowledgement, isDuplicate } = await answerTo(joined);
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

const withoutId = {
  key: undefined,
  name: undefined,
  describe: (committed: Committed | undefined) => committed,
};

async function answerTo({ outcome, place }: Joined): Promise<OnceOutcome<unknown>> {
  const answered = (await outcome)[place];
  if (answered === undefined) throw new Error('A batch was left out of its write.');
  return answered;
}

type Target = {
  buffer: HoldingBuffer;
  openBlocks: OpenBlocks;
  /** Whether blocks wait for the store, so that this one goes behind them. */
  isWaiting: boolean;
  /** Whether ids may well be taken, so that an attempt in one statement would be in vain. */
  expectsDuplicates: boolean;
  answerBy: number;
};

/** A write that PostgreSQL has: the acknowledgements of the batches that came too late, and the block of the others. */
type Kept = { late: ReadonlyMap<number, unknown>; block: Block | undefined; bytes: number };

const none: ReadonlyMap<number, unknown> = new Map();

/** Writes the ids of the batches, and the block of those whose id was free: both or neither. */
async function keepWrite(write: Write, target: Target): Promise<Outcome> {
  const { openBlocks, isWaiting, answerBy } = target;
  const endsAt = Math.min(performance.now() + writeMsMax, answerBy - answerMs);
  if (endsAt - performance.now() < writeMsMin) throw new Error('The writes before it took too long.');
  const fresh = write.entries.map(({ hasContent, rows, describe }) =>
    describe(hasContent ? { rows, writtenTo: 'postgres', isWaiting } : undefined),
  );
  const claims = write.entries.flatMap(({ pageId, key }, place) =>
    key === undefined ? [] : { pageId, key, acknowledgement: fresh[place], place },
  );
  const open = isWaiting ? undefined : openBlocks.join(write.block);
  let kept: Kept | undefined;
  try {
    kept = await keepClaimed(write, claims, open, { ...target, endsAt });
  } catch (error) {
    if (open !== undefined) openBlocks.end(open, undefined);
    // The next attempt joins a new block, which this process holds.
    if (error instanceof NotHeldError) return keepWrite(write, target);
    throw error;
  }
  if (open !== undefined) openBlocks.end(open, { ...kept, batches: write.entries });
  const { late } = kept;
  return fresh.map((acknowledgement, place) =>
    late.has(place)
      ? { acknowledgement: late.get(place), isDuplicate: true }
      : { acknowledgement, isDuplicate: false },
  );
}

/**
 * Writes to PostgreSQL: in one statement if it can, which takes a third of the time of a transaction. A statement that was
 * given up may count all the same, which a batch without an id, sent again, would not survive.
 */
async function keepClaimed(
  write: Write,
  claims: readonly Claim[],
  open: OpenBlock | undefined,
  { buffer, expectsDuplicates, endsAt }: Target & { endsAt: number },
): Promise<Kept> {
  const leftMs = (): number => Math.max(0, endsAt - performance.now());
  const kept: Kept = { late: none, block: undefined, bytes: 0 };
  const pack = (block: Block): Pick<PackedBlock, 'packed'> => {
    const packed = packBlock(block);
    kept.bytes = packed.length * bytesPerCharacter;
    return { packed };
  };
  const mayKeepOnce = claims.length === write.entries.length && write.block.rows > 0 && !expectsDuplicates;
  if (open !== undefined && mayKeepOnce) {
    const { token, parts: part } = open;
    const { rows, events } = write.block;
    const whole = { token, rows, events, ...pack(write.block) };
    if (await buffer.keepOnce(whole, { claims, part, timeoutMs: leftMs() })) {
      kept.block = write.block;
      return kept;
    }
  }
  /** Decides about the block in the transaction that claims the ids. */
  const decided =
    <Content>(token: string, encode: (block: Block) => Content | Promise<Content>) =>
    async (tx: Transaction, now: number) => {
      if (claims.length > 0) kept.late = await claimBatchIds(tx, claims, now);
      kept.block = blockWithout(write, kept.late);
      if (kept.block === undefined) return undefined;
      const { rows, events } = kept.block;
      return { token, rows, events, ...(await encode(kept.block)) };
    };
  if (open === undefined) {
    // The write is sealed, so its block does not change meanwhile. While the store is behind it may have 63,500 rows.
    const encode = async (block: Block): Promise<Pick<EncodedBlock, 'bytes'>> => ({
      bytes: await encodeInSlices(block),
    });
    await buffer.keep(decided(randomUUID(), encode), leftMs());
  } else await buffer.keepPart(decided(open.token, pack), { part: open.parts, timeoutMs: leftMs() });
  return kept;
}
