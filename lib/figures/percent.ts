/**
 * Returns the percentage of `part` in `whole`, at most 100, with two decimals that are cut; null when `whole` is 0. Both
 * are whole numbers below 9e11, so that the product is exact and a quotient below a whole number cannot round up to it.
 */
export function cutPercent(part: number, whole: number): number | null {
  if (whole <= 0) return null;
  return Math.min(100, Math.floor((part * 10_000) / whole) / 100);
}

/**
 * Formats uptime as a percentage of the observed time, with two decimals that are cut: 99.999 % is `99.99%`, and only a
 * time without failure is `100.00%`. Returns `N/A` when nothing was observed.
 */
export function formatUptime({ observedMs, upMs }: { observedMs: number; upMs: number }): string {
  if (observedMs === 0) return 'N/A';
  return `${(cutPercent(upMs, observedMs) ?? 0).toFixed(2)}%`;
}
