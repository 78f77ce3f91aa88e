/**
 * Returns the parameters of a property test for fast-check: `few` runs, and `many` in the third tier, which runs the
 * files of `propertyTests` in tiers.ts again. The seed is fixed, so that a run can be repeated; HEARTLINE_TEST_SEED takes
 * another one. fast-check prints the seed and the path of a failure.
 */
export function propertyRuns(few: number, many: number): { numRuns: number; seed: number } {
  const seed = Number(process.env['HEARTLINE_TEST_SEED'] ?? 1);
  if (!Number.isSafeInteger(seed)) throw new Error('HEARTLINE_TEST_SEED must be a whole number.');
  return { numRuns: process.env['HEARTLINE_TEST_TIER'] === 'all' ? many : few, seed };
}
