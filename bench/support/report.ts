/** Prints one line of a report. */
export const line = (text: string): unknown => process.stdout.write(`${text}\n`);

/** The median; the mean of the two in the middle of an even number; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [below = Number.NaN, above = Number.NaN] = [
    sorted[(sorted.length - 1) >> 1],
    sorted[sorted.length >> 1],
  ];
  return (below + above) / 2;
}

/** The quantile `q` of values in any order; NaN for an empty list. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}
