/** Rounds a number to two significant digits: 12,345 is 12,000 and 0.0456 is 0.046. */
export function roundToTwoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

/**
 * Returns the percentage of requests that did not fail, between 0 and 100. The share that failed is rounded to two digits
 * and to hundredths of a percent, at least one of them: 100 means that none failed. `count` is above 0.
 */
export function roundSuccessRate({ count, errors }: { count: number; errors: number }): number {
  if (errors === 0) return 100;
  const failed = roundToTwoDigits((100 * errors) / count);
  const hundredths = Math.max(1, Math.round(failed * 100));
  return (10_000 - hundredths) / 100;
}
