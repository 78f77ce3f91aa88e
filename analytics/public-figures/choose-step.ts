import { type FigureWindow, figureLimits } from '../../contract/public/public-figures.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';

/** Each window, and its steps from the shortest on. A step divides those after it and the day. */
export const windows: Readonly<Record<FigureWindow, { ms: number; stepsMs: readonly number[] }>> = {
  '24h': { ms: dayMs, stepsMs: [hourMs, 3 * hourMs, 6 * hourMs] },
  '7d': { ms: 7 * dayMs, stepsMs: [6 * hourMs, 12 * hourMs, dayMs] },
  '14d': { ms: 14 * dayMs, stepsMs: [12 * hourMs, dayMs] },
};

/** Events are sent some seconds after their request, and are in the store some seconds after that. */
const arrivalMs = minuteMs;

/** Returns the steps of a window that are complete at `now`, in milliseconds since the epoch. */
export function completedSteps(
  { ms, stepMs }: { ms: number; stepMs: number },
  now: number,
): { from: number; to: number } {
  const to = Math.floor((now - arrivalMs) / stepMs) * stepMs;
  return { from: to - ms, to };
}

/**
 * Returns the shortest step with which most of the steps that have requests have enough of them, and the longest when
 * none does: a quiet service then has a few points in place of gaps. `counts` are by the first of the steps, from `from`.
 */
export function chooseStep(
  stepsMs: readonly number[],
  { from, counts }: { from: number; counts: readonly number[] },
): number {
  const [shortest = 0] = stepsMs;
  for (const stepMs of stepsMs) {
    const sums = new Map<number, number>();
    for (const [at, count] of counts.entries()) {
      const step = Math.floor((from + at * shortest) / stepMs);
      if (count > 0) sums.set(step, (sums.get(step) ?? 0) + count);
    }
    const enough = [...sums.values()].filter((count) => count >= figureLimits.requestsMin);
    if (2 * enough.length >= sums.size) return stepMs;
  }
  return stepsMs.at(-1) ?? shortest;
}
