import { hourMs } from './times.js';

export type BackOff = {
  /** Pause after the first failure, in milliseconds; each further failure doubles it. */
  firstMs: number;
  /** Longest pause before the jitter, in milliseconds. */
  maxMs: number;
  /** Share of the pause that is added at most, at random, so that repeated attempts do not fall together. 0 when absent. */
  jitter?: number;
};

/** Returns the pause after `failures` failures in a row, from 1, in milliseconds. */
export function pauseMsAfter(
  failures: number,
  { firstMs, maxMs, jitter = 0 }: BackOff,
  random: () => number = Math.random,
): number {
  const pauseMs = Math.min(firstMs * 2 ** Math.max(0, failures - 1), maxMs);
  return jitter === 0 ? pauseMs : Math.round(pauseMs * (1 + jitter * random()));
}

/** The pauses before a request that failed is repeated. It has one attempt more than pauses. */
export type AttemptSchedule = {
  /** Pauses before the second and each later attempt, in seconds. */
  pausesSeconds: readonly number[];
  /** Share of a pause that is added at most, at random, so that what failed together is not repeated together. */
  jitter: number;
};

/**
 * Eight attempts in about a day. The first pauses are short because most failures are a restart; the last ones leave the
 * receiver's team a night.
 */
export const dayOfAttempts: AttemptSchedule = {
  pausesSeconds: [5, 60, 600, 3_600, 10_800, 21_600, 43_200],
  jitter: 0.2,
};

/**
 * Returns when to send to a receiver of a tenant again after `attempts` failed attempts, in milliseconds since the
 * epoch; `undefined` after the last attempt.
 */
export function nextAttemptAt(
  { pausesSeconds, jitter }: AttemptSchedule,
  attempts: number,
  now: number,
  random: () => number = Math.random,
): number | undefined {
  const seconds = pausesSeconds[attempts - 1];
  return seconds === undefined ? undefined : now + Math.round(seconds * 1000 * (1 + jitter * random()));
}

/** A receiver may ask for more time than the schedule leaves it, but not for so much that its failure goes unnoticed. */
const askedPauseMsMax = hourMs;

/**
 * The same, for a receiver that may say when to call again.
 *
 * @param askedAt when the receiver asks to be called again, in milliseconds since the epoch; it counts between the
 *   time by the schedule and an hour later
 */
export function nextAskedAt(
  schedule: AttemptSchedule,
  attempts: number,
  { now, askedAt = now, random }: { now: number; askedAt?: number | undefined; random?: () => number },
): number | undefined {
  const at = nextAttemptAt(schedule, attempts, now, random);
  return at === undefined ? undefined : Math.min(Math.max(at, askedAt), at + askedPauseMsMax);
}

/** The forms of an HTTP date: IMF-fixdate, RFC 850 and asctime. The last one has no zone, and is in UTC (RFC 9110, 5.6.7). */
const datesWithZone = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;
const asctime = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * Reads the header `Retry-After`, which is a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @param now milliseconds since the epoch
 * @returns the time to wait for, in milliseconds since the epoch; `undefined` without the header, and for any other text
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return now + Number(text) * 1000;
  const at = datesWithZone.test(text)
    ? Date.parse(text)
    : asctime.test(text)
      ? Date.parse(`${text} GMT`)
      : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
