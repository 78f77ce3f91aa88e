import { setMaxListeners } from 'node:events';
import type { PageId } from '../ids.js';
import { createLimiter } from '../limiter.js';

/** How many attempts may start now, and how many are running, by key and by page. */
export type Room<Key> = {
  free: number;
  perKey: number;
  busy: ReadonlyMap<Key, number>;
  perPage: number;
  busyPages: ReadonlyMap<PageId, number>;
};

/** Attempts that run side by side: none waits for another one. */
export type AttemptPool<Key> = {
  readonly room: Room<Key>;
  /** Starts an attempt for a page. Claim no more than there is room for. `signal` is aborted when the pool stops. */
  start(of: { key: Key; pageId: PageId }, attempt: (signal: AbortSignal) => Promise<void>): void;
  /** Waits for the running attempts, and aborts after `graceMs` those that are left. */
  stop(graceMs: number): Promise<void>;
};

/**
 * Bounds the attempts of a loop: `max` in all, `maxPerKey` for each key and `maxPerPage` for each page, so that receivers
 * that hang leave room for the others, and a page whose receivers all hang for the other pages.
 *
 * @param options.onEnded called when an attempt has ended and left its room
 */
export function createAttemptPool<Key>(options: {
  max: number;
  maxPerKey: number;
  maxPerPage: number;
  onEnded(): void;
}): AttemptPool<Key> {
  const { max, maxPerKey, maxPerPage, onEnded } = options;
  const keys = createLimiter<Key>({ max, maxPerKey });
  const pages = createLimiter<PageId>({ maxPerKey: maxPerPage });
  const attempts = new Set<Promise<void>>();
  const stopping = new AbortController();
  setMaxListeners(max, stopping.signal);
  return {
    get room() {
      return {
        ...{ free: max - keys.size, perKey: maxPerKey, busy: keys.running },
        ...{ perPage: maxPerPage, busyPages: pages.running },
      };
    },
    start({ key, pageId }, attempt) {
      // Free, because no more is claimed than there is room for.
      const releases = [keys.tryTake(key), pages.tryTake(pageId)];
      const ended = attempt(stopping.signal).finally(() => {
        attempts.delete(ended);
        for (const release of releases) release?.();
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
