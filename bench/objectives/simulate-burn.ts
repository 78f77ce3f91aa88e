import type { BurnPair } from '../../contract/manage/objectives.js';
import { allowedParts, burnRate, type GoodAndTotal, isBurning } from '../../control/objectives/burn-rate.js';

/** How rules look at minutes: whole ones that are over by at least `settleSeconds`, every `everySeconds`. */
export const looks = { everySeconds: 30, settleSeconds: 15, minuteSeconds: 60 } as const;

/**
 * The longest that one evaluation takes, in seconds: the end of the minute, the time until it counts, and the time until the
 * next look.
 */
export const evaluationSecondsMax = looks.minuteSeconds + looks.settleSeconds + looks.everySeconds;

/** A failure that begins after hours without one. Rates are shares of 1. */
export type Failure = {
  target: number;
  failureRate: number;
  /** When it begins: seconds into a minute, and into the time between two looks. */
  intoMinute: number;
  intoLook: number;
};

/** Seconds from the first failing request to the alert, and from the last one to its end; null when there is no alert. */
export type BurnTimes = { detectSeconds: number; resetSeconds: number } | null;

const requestsPerSecond = 1_000;

/**
 * Returns what the formulas of the workbook give for a failure as long as the long window: it is detected after
 * `factor · (1 − target) · long ÷ failure rate`, and reset when as little of the short window fails.
 */
export function burnTimes({ factor, longMinutes, shortMinutes }: BurnPair, failure: Failure): BurnTimes {
  const { target, failureRate } = failure;
  const threshold = (factor * allowedParts(target)) / 10_000_000;
  const burns = (burnRate(countsOf(1, failureRate), target) ?? 0) > factor;
  if (!burns) return null;
  return {
    detectSeconds: (threshold / failureRate) * longMinutes * 60,
    resetSeconds: (1 - threshold / failureRate) * shortMinutes * 60,
  };
}

/** Plays a failure to the rule, look by look, and returns when it fired and when it ended. */
export function simulateBurn(pair: BurnPair, failure: Failure): BurnTimes {
  const { target, failureRate, intoMinute, intoLook } = failure;
  const longSeconds = pair.longMinutes * 60;
  const begin = longSeconds + 60 + intoMinute;
  const end = begin + longSeconds;
  const last = end + pair.shortMinutes * 60 + 2 * evaluationSecondsMax;
  /** The requests from a whole minute until another one. */
  const between = (from: number, to: number): GoodAndTotal => {
    const failing = Math.max(0, Math.min(to, end) - Math.max(from, begin));
    const { total } = countsOf(to - from, failureRate);
    return { total, good: total - failedIn(failing, failureRate) };
  };
  let detectedAt: number | undefined;
  for (let look = begin - looks.everySeconds + intoLook; look <= last; look += looks.everySeconds) {
    const minute = Math.floor((look - looks.settleSeconds) / 60) * 60;
    const [long, short] = [longSeconds, pair.shortMinutes * 60].map((seconds) =>
      between(minute - seconds, minute),
    );
    if (long === undefined || short === undefined) continue;
    const burning = isBurning(pair, { long, short }, target);
    if (detectedAt === undefined && burning) detectedAt = look;
    // It may end while the failure goes on only if it has fired too early.
    if (detectedAt !== undefined && !burning) {
      return { detectSeconds: detectedAt - begin, resetSeconds: look - end };
    }
  }
  return detectedAt === undefined ? null : { detectSeconds: detectedAt - begin, resetSeconds: Infinity };
}

function countsOf(seconds: number, failureRate: number): GoodAndTotal {
  const total = seconds * requestsPerSecond;
  return { total, good: total - failedIn(seconds, failureRate) };
}

/** Whole requests: a share of 0.1 % is one of a thousand. */
function failedIn(seconds: number, failureRate: number): number {
  return Math.round(seconds * requestsPerSecond * failureRate);
}
