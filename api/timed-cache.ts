import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/clock.js';
import { ApiError } from '../contract/errors.js';
import type { Log } from '../contract/log.js';

export type TimedCacheOptions<Value> = {
  clock: Clock;
  log: Log;
  /** What is in it, for the log. */
  name: string;
  /** A value is loaded again when it is older than this. */
  freshMs: number;
  /** When that fails, it goes on counting up to this age. */
  staleMs: number;
  /** Of all values and keys together. */
  bytesMax: number;
  bytesOf(value: Value): number;
};

export type TimedCache<Value> = {
  /**
   * The value of a key: at once and without a promise while it is fresh. However many ask meanwhile, it is loaded
   * once; `load` answers undefined for what there is not.
   *
   * @throws ApiError `storeUnavailable` (the promise rejects) when it cannot be loaded in time and no older value
   *   may be served.
   */
  get(key: string, load: () => Promise<Value | undefined>): Value | Promise<Value | undefined>;
  /** How many values are held, and how many bytes they count. */
  size(): { values: number; bytes: number };
};

type Held<Value> = { value: Value; loadedAt: number; retryAt: number };

/** Keys that are being loaded at a time; more are refused, because each waits for the stores. */
const loadsMax = 1_000;
const loadTimeoutMs = 10_000;
/** After a failure the older value is served without another attempt for this long. */
const retryAfterMs = 2_000;
/** Rough cost of a key and its place in the maps. */
const bytesOfPlace = 300;

/** Values in memory that are loaded again when they are asked for and too old, within a bound of bytes. */
export function createTimedCache<Value extends object | string>(
  options: TimedCacheOptions<Value>,
): TimedCache<Value> {
  const { clock, log, name, freshMs, staleMs, bytesMax, bytesOf } = options;
  const held = new LRUCache<string, Held<Value>>({
    maxSize: bytesMax,
    sizeCalculation: ({ value }, key) => bytesOf(value) + 2 * key.length + bytesOfPlace,
  });
  const loads = new Map<string, Promise<Value | undefined>>();

  function get(key: string, load: () => Promise<Value | undefined>): Value | Promise<Value | undefined> {
    const known = held.get(key);
    const now = clock.now();
    if (known !== undefined && (isYounger(known, freshMs, now) || now < known.retryAt)) return known.value;
    return loads.get(key) ?? begin(key, load, now);
  }

  function begin(
    key: string,
    load: () => Promise<Value | undefined>,
    now: number,
  ): Promise<Value | undefined> {
    if (loads.size >= loadsMax) return Promise.reject(unavailable(new Error('Too much is being loaded.')));
    const answer = refresh(key, load, now);
    loads.set(key, answer);
    return answer.finally(() => loads.delete(key));
  }

  async function refresh(
    key: string,
    load: () => Promise<Value | undefined>,
    loadedAt: number,
  ): Promise<Value | undefined> {
    try {
      const value = await within(load(), loadTimeoutMs);
      if (value === undefined) held.delete(key);
      else held.set(key, { value, loadedAt, retryAt: loadedAt });
      return value;
    } catch (error) {
      const now = clock.now();
      const known = held.peek(key);
      if (known === undefined || !isYounger(known, staleMs, now)) throw unavailable(error);
      // Not past its last moment, however often the attempts fail.
      known.retryAt = Math.min(now + retryAfterMs, known.loadedAt + staleMs);
      log.warn(
        { err: error, ageMs: now - known.loadedAt },
        `${name} could not be loaded; an older one is served.`,
      );
      return known.value;
    }
  }

  return { get, size: () => ({ values: held.size, bytes: held.calculatedSize }) };
}

/** Of a value that is from the future, because the clock was put back, nobody knows the age. */
function isYounger({ loadedAt }: { loadedAt: number }, ageMs: number, now: number): boolean {
  return now >= loadedAt && now - loadedAt < ageMs;
}

function unavailable(cause: unknown): ApiError {
  const error = new ApiError('storeUnavailable', undefined, { 'retry-after': '2' });
  error.cause = cause;
  return error;
}

async function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing was loaded within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
