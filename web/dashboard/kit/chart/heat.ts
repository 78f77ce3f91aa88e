/** Strengths of the colour besides none. */
export const heatLevels = 6;
/** How much of the colour each strength has over the ground, from the weakest. The styles of the legend have the same. */
export const heatParts = [0.14, 0.28, 0.44, 0.62, 0.8, 1] as const;

/**
 * The smallest count of each level. Each is the same multiple of the one before, because most waits are short and the
 * few long ones are what people look for.
 */
export function heatThresholds(max: number): number[] {
  const thresholds: number[] = [];
  for (let level = 0; level < heatLevels; level++) {
    const threshold = Math.max(1, Math.round(max ** (level / heatLevels)));
    // Few different counts need few levels.
    if (threshold > (thresholds.at(-1) ?? 0) && threshold <= Math.max(1, max)) thresholds.push(threshold);
  }
  return thresholds;
}

/** The strength of a count, from 0 for none to `heatLevels`; the largest counts are always the strongest. */
export function heatLevel(count: number, thresholds: readonly number[]): number {
  const passed = thresholds.filter((threshold) => count >= threshold).length;
  return passed === 0 ? 0 : passed + heatLevels - thresholds.length;
}

/** The largest count of all. */
export function largestCount(values: readonly (readonly number[] | null)[]): number {
  return values.reduce((max, counts) => (counts ?? []).reduce((a, b) => Math.max(a, b), max), 0);
}
