import { type Deferred, deferred } from '../lib/deferred.js';
import { tooManyReads } from '../lib/service-error.js';

export type BatchLookupOptions<Key extends string, Value> = {
  /** Loads the values of at most `keysMax` different keys; the map lacks those that do not exist. */
  load(keys: Key[]): Promise<ReadonlyMap<Key, Value>>;
  /** Most keys of one load. */
  keysMax: number;
  /** Most keys that wait for the next loads. */
  waitingMax: number;
  /** Called for each key that is refused because too many wait. */
  onShed?(): void;
};

/**
 * Returns the value of a key, or `undefined` when there is none.
 *
 * @throws what `load` throws; ServiceError `overloaded` (the promise rejects) when too many keys wait already
 */
export type BatchLookup<Key extends string, Value> = (key: Key) => Promise<Value | undefined>;

/**
 * Looks up keys that arrive together in one query. One load runs at a time, and the keys that arrive meanwhile go into
 * the next one: a flood of made-up keys costs the store one query at a time, and a real key among them waits for two
 * loads at most while no more than `keysMax` keys wait.
 */
export function createBatchLookup<Key extends string, Value>({
  load,
  keysMax,
  waitingMax,
  onShed = () => {},
}: BatchLookupOptions<Key, Value>): BatchLookup<Key, Value> {
  const waiting = new Map<Key, Deferred<Value | undefined>>();
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.size > 0) await loadNext();
    running = false;
  }

  async function loadNext(): Promise<void> {
    const batch = [...waiting].slice(0, keysMax);
    for (const [key] of batch) waiting.delete(key);
    try {
      const found = await load(batch.map(([key]) => key));
      for (const [key, answer] of batch) answer.resolve(found.get(key));
    } catch (error) {
      for (const [, answer] of batch) answer.reject(error);
    }
  }

  return (key) => {
    const known = waiting.get(key);
    if (known !== undefined) return known.promise;
    if (waiting.size >= waitingMax) {
      onShed();
      return Promise.reject(tooManyReads());
    }
    const answer = deferred<Value | undefined>();
    waiting.set(key, answer);
    if (!running) void run();
    return answer.promise;
  };
}
