import { setTimeout as delay } from 'node:timers/promises';
import { type Deferred, deferred } from '../lib/deferred.js';
import { tooManyReads } from '../lib/service-error.js';

export type BatchLookupOptions<Key extends string, Value> = {
  /** Loads the values of at most `keysMax` different keys; the map lacks those that do not exist. */
  load(keys: Key[]): Promise<ReadonlyMap<Key, Value>>;
  /** Most keys of one load. */
  keysMax: number;
  /** Most keys that wait for the next loads. */
  waitingMax: number;
  /** Most keys of one group that wait; as many as of all groups when absent. */
  waitingMaxPerGroup?: number;
  /** Called for each key that is refused because too many wait. */
  onShed?(): void;
  /** How many keys may be looked up in a second while more wait; unbounded when absent. */
  keysPerSecond?: number;
  /** Waiting keys of one group do not delay another group. All are one group when absent. */
  groupOf?(key: Key): string;
};

/**
 * Returns the value of a key, or `undefined` when there is none.
 *
 * @throws what `load` throws; ServiceError `overloaded` (the promise rejects) when too many keys wait already, in all
 *   or of its group
 */
export type BatchLookup<Key extends string, Value> = (key: Key) => Promise<Value | undefined>;

/**
 * Looks up keys that arrive together in one query. One load runs at a time, and the keys that arrive meanwhile go into
 * the next one: a flood of made-up keys costs the store one query at a time, and a real key among them waits for two
 * loads at most while no more than `keysMax` keys wait.
 *
 * Whoever asks for made-up keys asks again as soon as the answer is there. With `keysPerSecond` most of such a flood
 * waits, which costs the process nothing, while each answer costs it half a millisecond.
 */
export function createBatchLookup<Key extends string, Value>({
  load,
  keysMax,
  waitingMax,
  waitingMaxPerGroup = waitingMax,
  onShed = () => {},
  keysPerSecond = Number.POSITIVE_INFINITY,
  groupOf = () => '',
}: BatchLookupOptions<Key, Value>): BatchLookup<Key, Value> {
  const waiting = new Map<Key, Deferred<Value | undefined>>();
  /** Keys that wait, by group. Groups without any are absent. */
  const waitingOf = new Map<string, number>();
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.size > 0) {
      const keys = await loadNext();
      if (waiting.size > 0 && keysPerSecond < Number.POSITIVE_INFINITY)
        await delay((keys / keysPerSecond) * 1000, undefined, { ref: false });
    }
    running = false;
  }

  function count(key: Key, by: 1 | -1): void {
    const group = groupOf(key);
    const keys = (waitingOf.get(group) ?? 0) + by;
    if (keys === 0) waitingOf.delete(group);
    else waitingOf.set(group, keys);
  }

  function isFull(key: Key): boolean {
    return waiting.size >= waitingMax || (waitingOf.get(groupOf(key)) ?? 0) >= waitingMaxPerGroup;
  }

  /** Returns the number of keys that it loads. */
  async function loadNext(): Promise<number> {
    const batch = inTurn([...waiting], ([key]) => groupOf(key)).slice(0, keysMax);
    for (const [key] of batch) {
      waiting.delete(key);
      count(key, -1);
    }
    try {
      const found = await load(batch.map(([key]) => key));
      for (const [key, answer] of batch) answer.resolve(found.get(key));
    } catch (error) {
      for (const [, answer] of batch) answer.reject(error);
    }
    return batch.length;
  }

  return (key) => {
    const known = waiting.get(key);
    if (known !== undefined) return known.promise;
    if (isFull(key)) {
      onShed();
      return Promise.reject(tooManyReads());
    }
    const answer = deferred<Value | undefined>();
    waiting.set(key, answer);
    count(key, 1);
    if (!running) void run();
    return answer.promise;
  };
}

/** Sorts so that the first ones of all groups come first, then the second ones, and so on. */
function inTurn<Item>(items: readonly Item[], groupOf: (item: Item) => string): Item[] {
  const counts = new Map<string, number>();
  const placed = items.map((item) => {
    const group = groupOf(item);
    const place = counts.get(group) ?? 0;
    counts.set(group, place + 1);
    return { item, place };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
