import { dayMs } from '../../lib/times.js';

export const weekMs = 7 * dayMs;

/** The weeks before a window, of which the median is usual. */
export const weeksBefore = [1, 2, 3, 4] as const;

/** Returns the median of some numbers, the mean of the middle two when they are even. */
export function medianOf(counts: readonly number[]): number {
  const sorted = [...counts].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
