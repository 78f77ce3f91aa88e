/** Prints one line of a report. */
export const line = (text: string): unknown => process.stdout.write(`${text}\n`);

/** The upper median; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
