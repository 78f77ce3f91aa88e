import { setTimeout as sleep } from 'node:timers/promises';

/** Work of one kind that may take only a part of the event loop, so that the process answers other requests meanwhile. */
export type LoopShare = {
  /** Runs a short piece of work, once the pieces before it have left the loop to others for long enough. */
  run<T>(piece: () => T): Promise<T>;
};

/** @param share of the time, from 0 to 1, that all pieces together may take. */
export function createLoopShare(share: number): LoopShare {
  let freeAt = 0;
  return {
    async run(piece) {
      const waitMs = freeAt - performance.now();
      if (waitMs >= 1) await sleep(waitMs);
      const startedAt = performance.now();
      try {
        return piece();
      } finally {
        freeAt = Math.max(freeAt, startedAt) + (performance.now() - startedAt) / share;
      }
    },
  };
}
