/**
 * Returns the percentage of `part` in `whole`, at most 100, with two decimals that are cut; null when `whole` is 0. Both
 * are whole numbers below 9e11, so that the product is exact and a quotient below a whole number cannot round up to it.
 */
export function cutPercent(part: number, whole: number): number | null {
  if (whole <= 0) return null;
  return Math.min(100, Math.floor((part * 10_000) / whole) / 100);
}
