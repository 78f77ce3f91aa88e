import type { Log } from '../../lib/log.js';
import type { Closing } from '../../lib/outbox/outbox.js';
import { retry } from '../../lib/outbox/retry.js';
import { ServiceError } from '../../lib/service-error.js';
import { withTimeout } from '../../lib/timeout.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Claim } from '../batch-ids/claim-batch-ids.js';

/**
 * Where blocks go. The same bytes under the same token count once, however often they are inserted. When `signal` is
 * aborted, the answer is not awaited any more; the store may have the block all the same.
 */
export type BlockStore = { insert(bytes: Buffer, token: string, signal?: AbortSignal): Promise<void> };

/** A block as it is stored. `bytes` is RowBinary. */
export type EncodedBlock = { token: string; bytes: Buffer; rows: number; events: number };

/** A block as it is held. `packed` is what packBlock() returns. */
export type PackedBlock = { token: string; packed: string; rows: number; events: number };

/** Where blocks wait that their store did not take. A block that is put twice waits once. */
export type BlockBuffer = {
  /** Whether blocks may wait in the buffer. New blocks then go behind them. */
  readonly behind: boolean;
  /**
   * Asks whether any block still waits; the store is then left alone. Call it only while `behind` is true. @throws Error
   * when the answer takes longer than `timeoutMs` milliseconds.
   */
  look(timeoutMs: number): Promise<boolean>;
  /** Resolves when the block is written. @throws Error when that takes longer than `timeoutMs` milliseconds. */
  put(block: EncodedBlock, timeoutMs: number): Promise<void>;
};

/**
 * A buffer that can write a block in the transaction that decides what is in it, and hold it back from the delivery for
 * 45 s. By then its writer has brought it to the store, or has ended.
 */
export type HoldingBuffer = BlockBuffer & {
  /**
   * Runs `decide` in a transaction, and writes the block that it returns in the same one; the block then waits for the
   * delivery. `now` is the time of the buffer's clock, in milliseconds since the epoch.
   *
   * @throws the error of `decide`; Error when all of it takes longer than `timeoutMs` milliseconds. The transaction may
   *   have been committed all the same if only the answer was lost.
   */
  keep(
    decide: (tx: Transaction, now: number) => Promise<EncodedBlock | undefined>,
    timeoutMs: number,
  ): Promise<void>;
  /**
   * Adds the block that `decide` returns to the held block of its token, otherwise as keep() does. Parts count from 0.
   *
   * @throws NotHeldError when the block is not held any more; and as keep() does.
   */
  keepPart(
    decide: (tx: Transaction, now: number) => Promise<PackedBlock | undefined>,
    options: { part: number; timeoutMs: number },
  ): Promise<void>;
  /**
   * Adds a part as keepPart() does, and claims the ids of its batches, in one statement. Resolves to false, and writes
   * nothing, when one of the ids is not free. A statement that is given up may be executed all the same: unlike a
   * transaction, it needs nothing further from here.
   *
   * @throws NotHeldError as keepPart() does; Error when it takes longer than `timeoutMs` milliseconds.
   */
  keepOnce(
    block: PackedBlock,
    options: { claims: readonly Claim[]; part: number; timeoutMs: number },
  ): Promise<boolean>;
  /** Removes a held block that its store has. @throws Error when that takes longer than 3 s. */
  remove(token: string): Promise<void>;
  /** Leaves a held block to the delivery. No part can be added afterwards. @throws Error as `remove` does. */
  release(token: string): Promise<void>;
};

/** Where a block was written. Either way the block will be counted once. */
type StoredIn = 'store' | 'buffer';

/** An attempt that takes longer has failed, though the store may still complete it. */
const attemptMsMax = 4_500;
/** When PostgreSQL hangs, the block is tried elsewhere. */
const bufferMsMax = 3_500;
const lookMsMax = 2_000;
/** A store that restarts is back within this time. After it the block goes to the buffer. */
const patienceMs = 2_000;
/**
 * A block is given up this long before the first of its senders gets an answer in any case: stored after that, it would
 * count twice when they send again.
 */
const answerMs = 500;
/** No attempt begins in the last second before that: it would hardly have the time to succeed. */
const lastAttemptMs = 1_000;
/** An attempt with less time is not made: nobody would learn how it ended. */
const attemptMsMin = 250;
const backOff = { firstMs: 100, maxMs: 2_000 };

type Deps = {
  store: BlockStore;
  buffer: BlockBuffer;
  log: Log;
  /** Called for every insert that fails. */
  insertFailed(): void;
  closing: Closing;
};

/**
 * Brings a block to its store, or to the buffer when the store does not take it. Every attempt has the same bytes and
 * token, because an attempt whose answer was lost may have been stored. `answerBy` is when the first of its senders gets
 * an answer in any case, as of performance.now().
 *
 * @throws ServiceError `storeUnavailable` when neither took the block in time.
 */
export async function storeBlock(deps: Deps, block: EncodedBlock, answerBy: number): Promise<StoredIn> {
  const { closing, log } = deps;
  const startedAt = performance.now();
  const isPatient = () => performance.now() - startedAt < patienceMs && closing.at === undefined;
  const endsAt = answerBy - answerMs;
  const leftMs = () => endsAt - performance.now();
  const attempt = () => tryOnce(deps, block, { isPatient, leftMs });
  const storedIn = await retry(attempt, {
    ...{ backOff, closing },
    giveUpAfterMs: endsAt - lastAttemptMs - startedAt,
  });
  if (storedIn !== undefined) return storedIn;
  const { token, events } = block;
  log.error(
    { token, events },
    'Neither the event store nor the delivery buffer took a block; its senders get an error.',
  );
  throw new ServiceError('storeUnavailable', { retryAfterSeconds: 5 });
}

type Time = {
  /** Whether to wait for a store that fails, instead of turning to the buffer. */
  isPatient(): boolean;
  /** Milliseconds until the block is given up. */
  leftMs(): number;
};

async function tryOnce(deps: Deps, block: EncodedBlock, time: Time): Promise<StoredIn | undefined> {
  const { buffer } = deps;
  const isBehind = buffer.behind && (await looksBehind(buffer, time));
  if (isBehind && (await tryBuffer(deps, block, time))) return 'buffer';
  if (await tryStore(deps, block, time)) return 'store';
  if (isBehind || time.isPatient()) return undefined;
  return (await tryBuffer(deps, block, time)) ? 'buffer' : undefined;
}

async function tryStore(
  { store, log, insertFailed }: Deps,
  block: EncodedBlock,
  { leftMs }: Time,
): Promise<boolean> {
  const { token, bytes } = block;
  if (leftMs() < attemptMsMin) return false;
  try {
    await insertWithin(store, block, Math.min(attemptMsMax, leftMs()));
    return true;
  } catch (error) {
    insertFailed();
    log.warn({ error: String(error), token, bytes: bytes.length }, 'A block could not be stored.');
    return false;
  }
}

/**
 * Returns false when the buffer does not answer: writing to it would use up the time that the store needs. The order of
 * blocks changes no figure.
 */
async function looksBehind(buffer: BlockBuffer, { leftMs }: Time): Promise<boolean> {
  try {
    return await buffer.look(Math.min(lookMsMax, Math.max(0, leftMs())));
  } catch {
    return false;
  }
}

async function tryBuffer({ buffer, log }: Deps, block: EncodedBlock, { leftMs }: Time): Promise<boolean> {
  if (leftMs() < attemptMsMin) return false;
  try {
    await buffer.put(block, Math.min(bufferMsMax, leftMs()));
    return true;
  } catch (error) {
    const { token, events } = block;
    log.warn({ error: String(error), token, events }, 'A block could not be written to the delivery buffer.');
    return false;
  }
}

/**
 * @throws Error when the store answers with one, does not answer within `timeoutMs` milliseconds, or not before
 *   `stopping` is aborted.
 */
export function insertWithin(
  store: BlockStore,
  { bytes, token }: Pick<EncodedBlock, 'bytes' | 'token'>,
  timeoutMs: number,
  stopping?: AbortSignal,
): Promise<void> {
  const insert = (signal: AbortSignal): Promise<void> => store.insert(bytes, token, signal);
  return withTimeout(insert, timeoutMs, stopping && { signal: stopping });
}
