import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';

/**
 * Where blocks go. The same bytes under the same token count once, however often they are inserted. Once `signal`
 * is aborted nobody waits for the answer any more; the store may have the block all the same.
 */
export type BlockStore = { insert(bytes: Buffer, token: string, signal?: AbortSignal): Promise<void> };

/** A block as it is stored. */
export type EncodedBlock = { token: string; bytes: Buffer; rows: number; events: number };

/** Where blocks wait that their store did not take. A block that is put twice waits once. */
export type BlockBuffer = {
  /** Whether blocks may wait in it; those that come now would have to go behind them. */
  readonly behind: boolean;
  /** Whether any still waits; the store is then left alone. Not asked while it is not behind. */
  look(): Promise<boolean>;
  /** Resolves when the block is written down. */
  put(block: EncodedBlock): Promise<void>;
};

/** What became of a block; either way it is written down and will be counted once. */
export type StoredIn = 'store' | 'buffer';

/** An attempt that takes longer is given up, though the store may still complete it. */
const attemptMsMax = 5_000;
/** A store that restarts is back within this time; after it the block goes to the buffer. */
const patienceMs = 2_000;
/** When neither takes it for so long, those who wait are told that it could not be stored. */
const giveUpAfterMs = 45_000;
const giveUpAfterCloseMs = 10_000;
const retryMs = { first: 100, max: 2_000 };

type Deps = {
  store: BlockStore;
  buffer: BlockBuffer;
  log: Log;
  /** Called for every insert that fails. */
  insertFailed(): void;
  /** Since when nothing new is taken, as of performance.now(); undefined while the service runs. */
  closedAt(): number | undefined;
};

/**
 * Brings a block to its store, or to the buffer when the store does not take it. Attempts are repeated with the
 * same bytes and token, because one whose answer was lost may have been stored. How
 * long they take is not told by the clock, which may be put back meanwhile.
 *
 * @throws ServiceError `storeUnavailable` when neither took it in time.
 */
export async function storeBlock(deps: Deps, block: EncodedBlock): Promise<StoredIn> {
  const { buffer, log, closedAt } = deps;
  const startedAt = performance.now();
  const { token } = block;
  for (let pauseMs = retryMs.first; ; pauseMs = Math.min(2 * pauseMs, retryMs.max)) {
    const wasBehind = buffer.behind && (await looksBehind(deps));
    if (!wasBehind && (await tryStore(deps, block))) return 'store';
    if (wasBehind || performance.now() - startedAt >= patienceMs || closedAt() !== undefined) {
      if (await tryBuffer(deps, block)) return 'buffer';
      // Nobody can say what waits in a buffer that does not answer; the order of blocks changes no figure.
      if (wasBehind && (await tryStore(deps, block))) return 'store';
    }
    const deadline = Math.min(startedAt + giveUpAfterMs, (closedAt() ?? Infinity) + giveUpAfterCloseMs);
    if (performance.now() + pauseMs >= deadline) {
      log.error({ token, events: block.events }, 'A block was given up: neither store nor buffer took it.');
      throw new ServiceError('storeUnavailable', { retryAfterSeconds: 5 });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function tryStore({ store, log, insertFailed }: Deps, block: EncodedBlock): Promise<boolean> {
  try {
    await insertWithin(store, block, attemptMsMax);
    return true;
  } catch (error) {
    insertFailed();
    const { token, bytes } = block;
    log.warn({ error: String(error), token, bytes: bytes.length }, 'A block could not be stored.');
    return false;
  }
}

/** A buffer that cannot be asked is taken to hold blocks, for it did the last time that it answered. */
async function looksBehind({ buffer }: Deps): Promise<boolean> {
  try {
    return await buffer.look();
  } catch {
    return true;
  }
}

async function tryBuffer({ buffer, log }: Deps, block: EncodedBlock): Promise<boolean> {
  try {
    await buffer.put(block);
    return true;
  } catch (error) {
    const { token, events } = block;
    log.warn({ error: String(error), token, events }, 'A block could not be written to the delivery buffer.');
    return false;
  }
}

/** @throws Error when the store answers with one, not within the time, or not before `stopping` is aborted. */
export async function insertWithin(
  store: BlockStore,
  { bytes, token }: Pick<EncodedBlock, 'bytes' | 'token'>,
  ms: number,
  stopping?: AbortSignal,
): Promise<void> {
  const attempt = new AbortController();
  const timer = setTimeout(() => attempt.abort(new Error(`No answer within ${ms} ms.`)), ms);
  const stop = () => attempt.abort(new Error('The service stops.'));
  stopping?.addEventListener('abort', stop, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason), { once: true });
  });
  try {
    await Promise.race([store.insert(bytes, token, attempt.signal), aborted]);
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', stop);
  }
}
