import { isIPv4, isIPv6 } from 'node:net';
import type { Clock } from './clock.js';
import { createLru } from './lru.js';

export type WindowCounter<Key extends string> = {
  /**
   * Counts one for `key`, unless `max` are counted already. Returns how long the window still lasts when it refuses,
   * in milliseconds; `undefined` when it counts.
   */
  count(key: Key, max: number): number | undefined;
};

type Counter = { count: number; endsAt: number };

/**
 * Counts in fixed windows in memory: a window begins with the first count of its key and lasts `windowMs`. Beyond
 * `keysMax` keys the one that was silent longest is forgotten.
 *
 * The package rate-limiter-flexible is not used, because it reads the system's clock and not an injected one.
 */
export function createWindowCounter<Key extends string>({
  clock,
  windowMs,
  keysMax,
}: {
  clock: Clock;
  windowMs: number;
  keysMax: number;
}): WindowCounter<Key> {
  const counters = createLru<Key, Counter>(keysMax);
  return {
    count(key, max) {
      const now = clock.now();
      const known = counters.get(key);
      const counter =
        known !== undefined && lasts(known.endsAt, windowMs, now) ? known : open(now + windowMs);
      if (counter.count >= max) return counter.endsAt - now;
      counter.count += 1;
      counters.set(key, counter);
      return undefined;
    },
  };
}

const open = (endsAt: number): Counter => ({ count: 0, endsAt });

/** Keys that have used up a window that PostgreSQL counts, so that they are refused without a query. */
export type UsedUp<Key extends string> = {
  /** Remembers that nothing more is granted to `key` for `msLeft` milliseconds. */
  note(key: Key, msLeft: number): void;
  /** Returns for how long nothing more is granted, in milliseconds; `undefined` when that is not known. */
  msLeft(key: Key): number | undefined;
};

/** A key that is forgotten, beyond `keysMax`, costs a query. No refusal lasts longer than `msMax`. */
export function createUsedUp<Key extends string>({
  clock,
  msMax,
  keysMax,
}: {
  clock: Clock;
  msMax: number;
  keysMax: number;
}): UsedUp<Key> {
  const untils = createLru<Key, number>(keysMax);
  return {
    note(key, msLeft) {
      untils.set(key, clock.now() + msLeft);
    },
    msLeft(key) {
      const until = untils.get(key);
      const now = clock.now();
      return until !== undefined && lasts(until, msMax, now) ? until - now : undefined;
    },
  };
}

/** An end that is further ahead than a whole window was set before the clock was put back. */
function lasts(endsAt: number, windowMs: number, now: number): boolean {
  return endsAt > now && endsAt <= now + windowMs;
}

/**
 * The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address. A household or a
 * server has a whole IPv6 network of that size, and may use any address in it.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':');
}

/**
 * The network that people of one household or office share: the first 24 bits of an IPv4 address, or the first 64 of an
 * IPv6 address.
 */
export function neighbourhoodOf(address: string): string {
  return isIPv4(address) ? address.slice(0, address.lastIndexOf('.')) : networkOf(address);
}
