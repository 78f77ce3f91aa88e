import { setMaxListeners } from 'node:events';
import { createLimiter } from '../limiter.js';

/** How many attempts may start now, and how many are running, by key. */
export type Room<Key> = { free: number; perKey: number; busy: ReadonlyMap<Key, number> };

/** Attempts that run side by side: none waits for another one. */
export type AttemptPool<Key> = {
  readonly room: Room<Key>;
  /** Starts an attempt. Claim no more than there is room for. `signal` is aborted when the pool stops. */
  start(key: Key, attempt: (signal: AbortSignal) => Promise<void>): void;
  /** Waits for the running attempts, and aborts after `graceMs` those that are left. */
  stop(graceMs: number): Promise<void>;
};

/**
 * Bounds the attempts of a loop: `max` in all, and `maxPerKey` for each key, so that a receiver that hangs leaves room
 * for the others.
 *
 * @param options.onEnded called when an attempt has ended and left its room
 */
export function createAttemptPool<Key>(options: {
  max: number;
  maxPerKey: number;
  onEnded(): void;
}): AttemptPool<Key> {
  const { max, maxPerKey, onEnded } = options;
  const limiter = createLimiter<Key>({ max, maxPerKey });
  const attempts = new Set<Promise<void>>();
  const stopping = new AbortController();
  setMaxListeners(max, stopping.signal);
  return {
    get room() {
      return { free: max - limiter.size, perKey: maxPerKey, busy: limiter.running };
    },
    start(key, attempt) {
      // Free, because no more is claimed than there is room for.
      const release = limiter.tryTake(key);
      const ended = attempt(stopping.signal).finally(() => {
        attempts.delete(ended);
        release?.();
        onEnded();
      });
      attempts.add(ended);
    },
    async stop(graceMs) {
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(attempts);
      clearTimeout(timer);
    },
  };
}
