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

/**
 * The middle of a bucket of response times, in milliseconds: the first value of each is its number as the upper 15 bits of
 * a 32-bit float.
 */
export function middleOfBucket(bucket: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setUint32(0, bucket << 17);
  bits.setUint32(4, (bucket + 1) << 17);
  return roundMs((bits.getFloat32(0) + bits.getFloat32(4)) / 2);
}

/** Rounds milliseconds to one decimal below 10, and to whole ones from there. */
export const roundMs = (ms: number): number => (ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms));
