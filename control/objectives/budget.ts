import { allowedOf, allowedParts, type GoodAndTotal } from './burn-rate.js';

/** The error budget of a window, in requests or in milliseconds of observed time. */
export type Budget = {
  /** The amount that may fail. It may be a fraction. */
  total: number;
  /** The amount that has failed. */
  spent: number;
  /** Below 0 when more has failed than may. */
  left: number;
  /** Percentage of the budget that is left, below 0 when it is overspent; null when nothing was measured. */
  leftPercent: number | null;
};

/**
 * Returns the budget of what was counted in a window. `ahead` is how much of the window is still to come where that is known:
 * the time of a monitor in a window of the calendar. It widens the budget; requests to come are not known.
 *
 * @param target in percent.
 */
export function budgetOf({ good, total }: GoodAndTotal, target: number, ahead = 0): Budget {
  const allowed = allowedOf(total + ahead, target);
  const spent = total - good;
  return {
    total: allowed,
    spent,
    left: allowed - spent,
    leftPercent: allowed > 0 ? (100 * (allowed - spent)) / allowed : null,
  };
}

/**
 * Returns the percentage that was good, cut to the five decimals of a target, so that a number that looks like the target
 * meets it; null when nothing was measured.
 */
export function compliancePercent({ good, total }: GoodAndTotal): number | null {
  if (total <= 0) return null;
  return Number((BigInt(good) * 10_000_000n) / BigInt(total)) / 100_000;
}

/** Whether a window meets its target; null when nothing was measured. `target` is in percent. */
export function isMet({ good, total }: GoodAndTotal, target: number): boolean | null {
  if (total <= 0) return null;
  return BigInt(total - good) * 10_000_000n <= BigInt(total) * BigInt(allowedParts(target));
}

type Present = {
  budget: Pick<Budget, 'left'>;
  /** The amounts of the last `ms` milliseconds. */
  recent: GoodAndTotal;
  ms: number;
  now: number;
  /** End of a window of the calendar; absent for one that moves with the time. */
  windowEnd?: number;
  /** Whether the budget has the time to come already. */
  isAhead: boolean;
};

/**
 * Returns when the budget ends at the present rate, in milliseconds since the epoch: `now` when it is spent, null when it
 * does not end, or only after the window. In a window that moves, as much falls out as comes in, so the budget stays and what
 * fails is taken from it; failures that fall out are not counted on. In one of the calendar, requests to come widen the
 * budget.
 *
 * @param target in percent.
 */
export function budgetEnd(
  { budget: { left }, recent: { good, total }, ms, now, windowEnd, isAhead }: Present,
  target: number,
): number | null {
  if (left <= 0) return now;
  const grows = windowEnd !== undefined && !isAhead;
  const perMs = (total - good - (grows ? allowedOf(total, target) : 0)) / ms;
  if (perMs <= 0) return null;
  const end = now + left / perMs;
  return end < (windowEnd ?? Number.POSITIVE_INFINITY) && end < endMax ? Math.floor(end) : null;
}

/** The last moment that a `Date` can hold. */
const endMax = 8_640_000_000_000_000;
