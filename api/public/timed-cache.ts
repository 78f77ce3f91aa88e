import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { withTimeout } from '../../lib/timeout.js';

export type TimedCacheOptions<Value> = {
  clock: Clock;
  log: Log;
  /** The kind of value, for the log. */
  name: string;
  /** A request for a value older than this loads it again. */
  freshMs: number;
  /** When that fails, the older value is served up to this age. */
  staleMs: number;
  /** Bound on all values and keys together. */
  bytesMax: number;
  bytesOf(value: Value): number;
};

export type TimedCache<Value> = {
  /**
   * The value of a key while it is fresh, or an older one while a load has just failed. A value that was loaded at
   * `changedAt` (milliseconds since 1970) or before is not fresh.
   */
  peek(key: string, changedAt?: number): Value | undefined;
  /**
   * The same, loaded when memory does not have it; `load` returns `undefined` for what does not exist. Requests that
   * arrive meanwhile share the load.
   *
   * @throws ServiceError `storeUnavailable` when the load fails or takes too long and no older value may be served;
   *   `overloaded` when `load` throws it
   */
  get(key: string, load: Load<Value>, changedAt?: number): Promise<Value | undefined>;
  /** The age of the value of a key in milliseconds when it is no longer fresh, and `undefined` otherwise. */
  staleFor(key: string): number | undefined;
  /** Values in memory, and the bytes that they count. */
  size(): { values: number; bytes: number };
};

type Load<Value> = () => Promise<Value | undefined>;

/** `failedAt` is when the last attempt to load the value again failed. */
type Held<Value> = { value: Value; loadedAt: number; failedAt?: number };

type Loading<Value> = { value: Promise<Value | undefined>; startedAt: number };

/** For a value that never changed. */
const never = Number.NEGATIVE_INFINITY;

/** How long a request waits for a value; less when there is an older one, unless a change is known to be missing there. */
const waitMs = 6_000;
const waitMsWithOlder = 2_000;
/** After this time a load counts as lost, and another one may begin. */
const loadTimeoutMs = 30_000;
/** After a failed load the older value is served for this long without another attempt. */
const retryAfterMs = 2_000;
/** After this time without an attempt nobody knows whether loads still fail, so a request waits for the next one. */
const failingMs = 30_000;
/** Rough cost of an entry besides its key and its value. */
const bytesOfPlace = 300;

/**
 * Values in memory, within a bound of bytes. A request for a value that is too old loads it again. `load` bounds how many
 * loads run at once. A load that fails makes a line in the log per interval, however many requests wait for it.
 */
export function createTimedCache<Value extends object | string>(
  options: TimedCacheOptions<Value>,
): TimedCache<Value> {
  const { clock, log, name, freshMs, staleMs, bytesMax, bytesOf } = options;
  const held = new LRUCache<string, Held<Value>>({
    maxSize: bytesMax,
    sizeCalculation: ({ value }, key) => bytesOf(value) + 2 * key.length + bytesOfPlace,
  });
  const loads = new Map<string, Loading<Value>>();
  const seldom = createSeldomLog(log);

  function peek(key: string, changedAt = never): Value | undefined {
    const known = held.get(key);
    return known !== undefined && isServed(known, changedAt, clock.now()) ? known.value : undefined;
  }

  async function get(key: string, load: Load<Value>, changedAt = never): Promise<Value | undefined> {
    const known = peek(key, changedAt);
    if (known !== undefined) return known;
    const running = loads.get(key);
    // A load that began before the change may return the state before it.
    const joins = running !== undefined && running.startedAt > changedAt;
    const loading = joins ? running.value : begin(key, load);
    const older = held.peek(key);
    // An older value may lack a change, which is worth the wait.
    if (older === undefined || !isFailing(older) || older.loadedAt <= changedAt || isTooOld(older))
      return waitFor(loading, older, changedAt);
    // While loads fail, nobody waits for the next one.
    if (!joins) waitFor(loading, older, changedAt).catch(() => {});
    return older.value;
  }

  function isFailing({ failedAt }: Held<Value>): boolean {
    return failedAt !== undefined && isYounger(failedAt, failingMs, clock.now());
  }

  function isTooOld({ loadedAt }: Held<Value>): boolean {
    return !isYounger(loadedAt, staleMs, clock.now());
  }

  function isServed({ loadedAt, failedAt }: Held<Value>, changedAt: number, now: number): boolean {
    // A change in the future does not count: the clock was put back.
    const isOfNow = loadedAt > changedAt || changedAt > now;
    if (isOfNow && isYounger(loadedAt, freshMs, now)) return true;
    return failedAt !== undefined && isYounger(failedAt, retryAfterMs, now);
  }

  function begin(key: string, load: Load<Value>): Promise<Value | undefined> {
    const loading = { value: refresh(key, load), startedAt: clock.now() };
    loads.set(key, loading);
    const end = () => {
      if (loads.get(key) === loading) loads.delete(key);
    };
    loading.value.then(end, end);
    return loading.value;
  }

  /** Keeps the value even when the requests that waited for it have given up. */
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
      const isWhole = older !== undefined && older.loadedAt > changedAt;
      return await within(loading, isWhole ? waitMsWithOlder : waitMs);
    } catch (error) {
      const now = clock.now();
      const isShed = error instanceof ServiceError && error.kind === 'overloaded';
      if (older === undefined || isTooOld(older)) {
        if (isShed) throw error;
        seldom.note({ err: error }, `${name} could not be loaded.`);
        throw storeUnavailable();
      }
      if (!isShed && !isServed(older, changedAt, now)) {
        const ageMs = now - older.loadedAt;
        seldom.note({ err: error, ageMs }, `${name} could not be loaded; an older one is served.`);
      }
      older.failedAt = now;
      return older.value;
    }
  }

  function staleFor(key: string): number | undefined {
    const known = held.peek(key);
    const ageMs = known === undefined ? 0 : clock.now() - known.loadedAt;
    return ageMs >= freshMs ? ageMs : undefined;
  }

  return { peek, get, staleFor, size: () => ({ values: held.size, bytes: held.calculatedSize }) };
}

/** False for a time in the future: the clock was put back, and the age is unknown. */
function isYounger(time: number, ageMs: number, now: number): boolean {
  return now >= time && now - time < ageMs;
}

function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  return withTimeout(answer, ms, { error: () => new Error(`Nothing was loaded within ${ms} ms.`) });
}
