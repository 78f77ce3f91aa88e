export type LimiterOptions = {
  /** Most pieces of work at once over all keys; unbounded when absent. */
  max?: number;
  /** Most pieces of work at once for one key. */
  maxPerKey: number;
  /** Most that wait for one key; unbounded when absent. */
  waitingMaxPerKey?: number;
  /** Most that wait over all keys; unbounded when absent. */
  waitingMax?: number;
};

/** Gives a slot back. A second call does nothing. */
export type Release = () => void;

/**
 * Bounds how much work runs at once, in all and for each key: the slow targets of one tenant must leave room for
 * the others.
 */
export type Limiter<Key> = {
  /** Takes a slot if one is free. */
  tryTake(key: Key): Release | undefined;
  /**
   * Waits for a slot. A free one goes to the key that runs least, and for one key in the order of calls; a key at its
   * limit does not hold up the others. Returns `undefined` when too many wait already.
   *
   * @throws the reason of `signal` when it is aborted first.
   */
  take(key: Key, signal?: AbortSignal): Promise<Release | undefined>;
  /** Slots in use, by key. Keys without any are absent. */
  readonly running: ReadonlyMap<Key, number>;
  /** Slots in use over all keys. */
  readonly size: number;
};

type Waiting<Key> = { key: Key; start(): void };

/** Keeps an entry for each key that runs or waits, and nothing for the others. */
export function createLimiter<Key>({
  max = Number.POSITIVE_INFINITY,
  maxPerKey,
  waitingMaxPerKey = Number.POSITIVE_INFINITY,
  waitingMax = Number.POSITIVE_INFINITY,
}: LimiterOptions): Limiter<Key> {
  const running = new Map<Key, number>();
  const waiting = new Set<Waiting<Key>>();
  let size = 0;

  const runningOf = ({ key }: { key: Key }): number => running.get(key) ?? 0;
  const isFree = (key: Key): boolean => size < max && runningOf({ key }) < maxPerKey;

  function change(key: Key, by: 1 | -1): void {
    const count = runningOf({ key }) + by;
    if (count === 0) running.delete(key);
    else running.set(key, count);
    size += by;
  }

  function begin(key: Key): Release {
    change(key, 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      change(key, -1);
      startNext();
    };
  }

  function startNext(): void {
    let next: Waiting<Key> | undefined;
    for (const one of waiting) {
      if (isFree(one.key) && (next === undefined || runningOf(one) < runningOf(next))) next = one;
    }
    next?.start();
  }

  function countWaiting(key: Key): number {
    let count = 0;
    for (const one of waiting) if (one.key === key) count += 1;
    return count;
  }

  function wait(key: Key, signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(one);
        signal?.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const one = {
        key,
        start(): void {
          leave();
          resolve(begin(key));
        },
      };
      waiting.add(one);
      signal?.addEventListener('abort', abort);
    });
  }

  return {
    running,
    get size() {
      return size;
    },
    tryTake: (key) => (isFree(key) ? begin(key) : undefined),
    async take(key, signal) {
      signal?.throwIfAborted();
      if (isFree(key)) return begin(key);
      if (waiting.size >= waitingMax || countWaiting(key) >= waitingMaxPerKey) return undefined;
      return wait(key, signal);
    },
  };
}
