import { setMaxListeners } from 'node:events';
import type { PageId } from '../../lib/ids.js';
import { createLimiter } from '../../lib/limiter.js';

/** Bounds of the attempts that run side by side. */
export type Limits = { max: number; maxPerKey: number; maxPerPage: number };

/** How many attempts may start now, and how many are running, by key and by page. */
export type Room = {
  free: number;
  perKey: number;
  busy: ReadonlyMap<string, number>;
  perPage: number;
  busyPages: ReadonlyMap<PageId | null, number>;
};

export type StopSignals = {
  /** Aborted when the pool stops: an attempt that has not sent anything does not begin. */
  readonly stopping: AbortSignal;
  /** Aborted when the time that attempts have to end is over. */
  readonly cut: AbortSignal;
};

type AttemptOf = { key: string; pageId: PageId | null };

/**
 * Bounds the attempts of a queue, none of which waits for another one: receivers that hang leave room for the others, and a
 * page whose receivers all hang for the other pages.
 *
 * @param limits.onEnded called when an attempt has ended and left its room
 */
export function createAttemptPool({ max, maxPerKey, maxPerPage, onEnded }: Limits & { onEnded(): void }) {
  const keys = createLimiter<string>({ max, maxPerKey });
  const pages = createLimiter<PageId | null>({ maxPerKey: maxPerPage });
  const attempts = new Set<Promise<void>>();
  const [stopping, cut] = [new AbortController(), new AbortController()];
  const signals: StopSignals = { stopping: stopping.signal, cut: cut.signal };
  setMaxListeners(max, signals.stopping, signals.cut);
  return {
    get room(): Room {
      return {
        ...{ free: max - keys.size, perKey: maxPerKey, busy: keys.running },
        ...{ perPage: maxPerPage, busyPages: pages.running },
      };
    },
    /** Starts an attempt. Claim no more than there is room for. */
    start({ key, pageId }: AttemptOf, attempt: (signals: StopSignals) => Promise<void>): void {
      // Free, because no more is claimed than there is room for.
      const releases = [keys.tryTake(key), pages.tryTake(pageId)];
      const ended = attempt(signals).finally(() => {
        attempts.delete(ended);
        for (const release of releases) release?.();
        onEnded();
      });
      attempts.add(ended);
    },
    /** Waits for the running attempts, and cuts after `graceMs` those that are left. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort();
      const timer = setTimeout(() => cut.abort(), graceMs);
      await Promise.all(attempts);
      clearTimeout(timer);
    },
  };
}
