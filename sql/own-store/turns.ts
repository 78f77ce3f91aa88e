import { createLimiter, type Limiter } from '../../lib/limiter.js';
import { ownStoreLimits } from './limits.js';
import { createLoopShare, type LoopShare } from './loop-share.js';
import { OwnStoreError } from './own-store-error.js';

/** The bounds that requests to the own stores of all pages share in a process. */
export type OwnStoreTurns = {
  limiter: Limiter<string>;
  loopShare: LoopShare;
  /** Bytes of the answers that are being read. */
  heldBytes: number;
};

export function createOwnStoreTurns(): OwnStoreTurns {
  const { reads, readsPerPage, readsWaitingPerPage, loopShare } = ownStoreLimits;
  const limiter = createLimiter<string>({
    max: reads,
    maxPerKey: readsPerPage,
    waitingMaxPerKey: readsWaitingPerPage,
  });
  return { limiter, loopShare: createLoopShare(loopShare), heldBytes: 0 };
}

/** Runs `work` in a turn of the page. @throws OwnStoreError when too many wait; the reason of `signal`. */
export async function inTurn<T>(
  { limiter }: OwnStoreTurns,
  key: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const release = await limiter.take(key, signal);
  if (release === undefined) throw new OwnStoreError('has too many reads that wait for earlier ones');
  try {
    return await work();
  } finally {
    release();
  }
}

/** Counts the bytes that pass through `count` as held until `work` ends. */
export async function holding<T>(
  turns: OwnStoreTurns,
  work: (count: (body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  let held = 0;
  async function* count(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of body) {
      held += part.length;
      turns.heldBytes += part.length;
      if (turns.heldBytes > ownStoreLimits.heldBytes && held > ownStoreLimits.fairBytes) {
        throw new OwnStoreError('sends a large answer while other large ones are being read');
      }
      yield part;
    }
  }
  try {
    return await work(count);
  } finally {
    turns.heldBytes -= held;
  }
}
