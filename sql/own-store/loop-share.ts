import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Work of one kind that may take only a part of the event loop, so that the process answers other requests meanwhile. */
export type LoopShare = {
  /** Runs a short piece of work, once the pieces before it have left the loop to others for long enough. */
  run<T>(piece: () => T): Promise<T>;
};

/**
 * The pieces run in the order in which they came, each after a wait of its own: pieces that woke up together would run
 * back to back, and 32 of 2 ms each kept the loop for 45 ms.
 *
 * @param share of the time, from 0 to 1, that all pieces together may take.
 */
export function createLoopShare(share: number): LoopShare {
  let freeAt = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function runWhenFree<T>(piece: () => T): Promise<T> {
    const waitMs = freeAt - performance.now();
    if (waitMs >= 1) await sleep(waitMs);
    // On a busy machine the process may stand still for longer than the wait; the loop runs in between all the same.
    else await nextTurn();
    const startedAt = performance.now();
    try {
      return piece();
    } finally {
      freeAt = Math.max(freeAt, startedAt) + (performance.now() - startedAt) / share;
    }
  }

  return {
    run(piece) {
      const ran = last.then(() => runWhenFree(piece));
      last = ran.catch(() => undefined);
      return ran;
    },
  };
}
