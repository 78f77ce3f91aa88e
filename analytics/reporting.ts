import type { Reporting } from '../contract/analytics/reporters.js';
import { minuteMs } from '../lib/times.js';

/** How long a source without a promise usually pauses, from the minutes in which it reported. */
export type Rhythm = { gapSeconds: number; minutes: number };

/** The gap that a source without a promise is held to at least. */
export const usualGapSeconds = 60;
/** A report that is older than so many times the usual gap is late. */
export const lateFactor = 2;
const silentFactor = 5;
/** A few calls by hand are no rhythm. */
export const rhythmMinutesMin = 5;
/** Whoever sets up a reporter starts and stops it more than once. */
const lifeMsMin = 10 * minuteMs;

export function stateByAge(ageMs: number | undefined, expectedMs: number): 'silent' | 'late' | 'clean' {
  if (ageMs === undefined || ageMs > silentFactor * expectedMs) return 'silent';
  return ageMs > lateFactor * expectedMs ? 'late' : 'clean';
}

type Life = {
  /** Since the last report; `undefined` without one in the retention. */
  ageMs: number | undefined;
  promisedSeconds: number | undefined;
  rhythm: Rhythm | undefined;
  /** Whether it has said goodbye, and nothing since. */
  hasStopped: boolean;
  /** Since the first report, as far as it is known. */
  lifeMs: number;
};

/**
 * Judges whether a source still reports, whatever it reports. Silence counts only for a source that is ten minutes old and
 * that has promised an interval, or has reported in five different minutes.
 */
export function judgeReporting({ ageMs, promisedSeconds, rhythm, hasStopped, lifeMs }: Life): Reporting {
  if (hasStopped) return 'stopped';
  const learned = (rhythm?.minutes ?? 0) >= rhythmMinutesMin ? rhythm?.gapSeconds : undefined;
  const expectedSeconds = promisedSeconds ?? learned;
  const state = stateByAge(ageMs, (expectedSeconds ?? usualGapSeconds) * 1000);
  if (state === 'clean') return state;
  return expectedSeconds === undefined || lifeMs < lifeMsMin ? 'unknown' : state;
}
