import { dayMs, hourMs } from '../../lib/times.js';
import type { Budget } from './budget.js';
import type { GoodAndTotal } from './burn-rate.js';
import { daysOf, type WindowPeriod } from './windows.js';

/** The amounts of at most an hour, from a time on, in milliseconds since the epoch. */
export type CountedStep = GoodAndTotal & { at: number };

/** Up to this length, a window is told by the hour rather than by the day. */
const hoursUntilMs = 3 * dayMs;

/** Steps of a burn-down line for windows up to a length: 168, 124 and 92 points at most. */
const burnDownSteps = [
  { lengthMs: 7 * dayMs, stepMs: hourMs },
  { lengthMs: 31 * dayMs, stepMs: 6 * hourMs },
  { lengthMs: Number.POSITIVE_INFINITY, stepMs: dayMs },
] as const;

/** An hour or a day that has spent of the budget; `share` is the percentage of the whole budget, null without one. */
export type Spent = WindowPeriod & { spent: number; share: number | null };

/** Returns the percentage of a budget that an amount is; null without a budget. */
export function shareOf(amount: number, { total }: Pick<Budget, 'total'>): number | null {
  return total > 0 ? (100 * amount) / total : null;
}

/**
 * Returns the hours that spent most, or the days in the time zone for a period of more than three days: at most `limit`, the
 * worst first, the older one of equals. An hour belongs to the day in which it begins.
 */
export function findWorst(
  steps: readonly CountedStep[],
  period: WindowPeriod,
  { timeZone, budget, limit }: { timeZone: string; budget: Budget; limit: number },
): { unit: 'hour' | 'day'; items: Spent[] } {
  const unit = period.to - period.from <= hoursUntilMs ? 'hour' : 'day';
  const parts = unit === 'hour' ? hoursOf(period) : daysOf(period, timeZone);
  let next = 0;
  const spentIn = ({ to }: WindowPeriod): number => {
    let spent = 0;
    for (let step = steps[next]; step !== undefined && step.at < to; step = steps[next]) {
      spent += step.total - step.good;
      next += 1;
    }
    return spent;
  };
  const items = parts.map(({ from, to }) => ({ from, to, spent: spentIn({ from, to }) }));
  const worst = items.filter(({ spent }) => spent > 0).sort((a, b) => b.spent - a.spent || a.from - b.from);
  return { unit, items: worst.slice(0, limit).map((one) => ({ ...one, share: shareOf(one.spent, budget) })) };
}

function hoursOf({ from, to }: WindowPeriod): WindowPeriod[] {
  return stepsOf({ from, to }, hourMs).map((at) => ({
    from: Math.max(at, from),
    to: Math.min(at + hourMs, to),
  }));
}

/** Returns the starts of the steps since the epoch that a period touches. */
function stepsOf({ from, to }: WindowPeriod, stepMs: number): number[] {
  const first = Math.floor(from / stepMs);
  return Array.from({ length: Math.ceil(to / stepMs) - first }, (_, i) => (first + i) * stepMs);
}

/** A point of a burn-down line: what a step counted, and the percentage of the budget that is left at its end. */
export type BurnDownPoint = CountedStep & { leftPercent: number | null };

/**
 * Returns the line along which the budget of a period was spent, of what is its budget at the end, with a point for every step
 * in UTC that the period touches.
 */
export function burnDownOf(
  steps: readonly CountedStep[],
  period: WindowPeriod,
  budget: Budget,
): { stepMs: number; points: BurnDownPoint[] } {
  const length = period.to - period.from;
  const { stepMs } = burnDownSteps.find(({ lengthMs }) => length <= lengthMs) ?? burnDownSteps[2];
  const byStep = new Map<number, GoodAndTotal>();
  for (const { at, good, total } of steps) {
    const start = Math.floor(at / stepMs) * stepMs;
    const sum = byStep.get(start) ?? { good: 0, total: 0 };
    byStep.set(start, { good: sum.good + good, total: sum.total + total });
  }
  let spent = 0;
  const points = stepsOf(period, stepMs).map((at) => {
    const { good, total } = byStep.get(at) ?? { good: 0, total: 0 };
    spent += total - good;
    return { at, good, total, leftPercent: shareOf(budget.total - spent, budget) };
  });
  return { stepMs, points };
}
