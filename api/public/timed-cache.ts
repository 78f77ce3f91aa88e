import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { storeUnavailable } from '../../lib/service-error.js';
import { withTimeout } from '../../lib/timeout.js';

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
   * The value of a key while it is fresh, or an older one that was asked for in vain just now. Not fresh is also what
   * was loaded at `changedAt` or before, where it is given (milliseconds since 1970).
   */
  peek(key: string, changedAt?: number): Value | undefined;
  /**
   * The same, loaded when it is not there; `load` answers undefined for what there is not. However many ask
   * meanwhile, it is loaded once.
   *
   * @throws ServiceError `storeUnavailable` when it cannot be loaded in time and no older value may be served.
   */
  get(key: string, load: Load<Value>, changedAt?: number): Promise<Value | undefined>;
  /** How many values are held, and how many bytes they count. */
  size(): { values: number; bytes: number };
};

type Load<Value> = () => Promise<Value | undefined>;

/** `failedAt` is of the last attempt since to load it again. */
type Held<Value> = { value: Value; loadedAt: number; failedAt?: number };

type Loading<Value> = { value: Promise<Value | undefined>; startedAt: number };

/** Of what never changed. */
const never = Number.NEGATIVE_INFINITY;

/** Keys that are being loaded at a time; more are refused, because each waits for the stores. */
const loadsMax = 1_000;
/** How long somebody waits for a value; less where there is an older one. */
const waitMs = 10_000;
const waitMsWithOlder = 2_000;
/** A load that has not ended by then is taken for lost, and another one may begin. */
const loadTimeoutMs = 30_000;
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
  const loads = new Map<string, Loading<Value>>();

  function peek(key: string, changedAt = never): Value | undefined {
    const known = held.get(key);
    return known !== undefined && isServed(known, changedAt, clock.now()) ? known.value : undefined;
  }

  async function get(key: string, load: Load<Value>, changedAt = never): Promise<Value | undefined> {
    const known = peek(key, changedAt);
    if (known !== undefined) return known;
    const running = loads.get(key);
    // A load that began before the change may have read what was the case then.
    const joined = running !== undefined && running.startedAt > changedAt ? running.value : begin(key, load);
    return waitFor(joined, held.peek(key), changedAt);
  }

  function isServed({ loadedAt, failedAt }: Held<Value>, changedAt: number, now: number): boolean {
    // A change in the future, because the clock was put back, is not one.
    const isOfNow = loadedAt > changedAt || changedAt > now;
    if (isOfNow && isYounger(loadedAt, freshMs, now)) return true;
    return failedAt !== undefined && isYounger(failedAt, retryAfterMs, now);
  }

  function begin(key: string, load: Load<Value>): Promise<Value | undefined> {
    if (loads.size >= loadsMax) return Promise.reject(new Error('Too much is being loaded.'));
    const loading = { value: refresh(key, load), startedAt: clock.now() };
    loads.set(key, loading);
    const end = () => {
      if (loads.get(key) === loading) loads.delete(key);
    };
    loading.value.then(end, end);
    return loading.value;
  }

  /** Keeps the value even when those who waited for it have given up. */
  async function refresh(key: string, load: Load<Value>): Promise<Value | undefined> {
    const loadedAt = clock.now();
    const value = await within(load(), loadTimeoutMs);
    if (value === undefined) held.delete(key);
    else held.set(key, { value, loadedAt });
    return value;
  }

  async function waitFor(
    loading: Promise<Value | undefined>,
    older: Held<Value> | undefined,
    changedAt: number,
  ): Promise<Value | undefined> {
    try {
      return await within(loading, older === undefined ? waitMs : waitMsWithOlder);
    } catch (error) {
      const now = clock.now();
      if (older === undefined || !isYounger(older.loadedAt, staleMs, now)) throw storeUnavailable(error);
      if (!isServed(older, changedAt, now)) {
        const ageMs = now - older.loadedAt;
        log.warn({ err: error, ageMs }, `${name} could not be loaded; an older one is served.`);
      }
      older.failedAt = now;
      return older.value;
    }
  }

  return { peek, get, size: () => ({ values: held.size, bytes: held.calculatedSize }) };
}

/** Of a time in the future, because the clock was put back, nobody knows how long it is ago. */
function isYounger(time: number, ageMs: number, now: number): boolean {
  return now >= time && now - time < ageMs;
}

function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  return withTimeout(answer, ms, { error: () => new Error(`Nothing was loaded within ${ms} ms.`) });
}
