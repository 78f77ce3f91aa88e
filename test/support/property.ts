import type { Test } from 'tap';
import { isThirdTier } from './tiers.js';

/** What fast-check needs to know about a property. */
export type PropertyParameters = { numRuns: number; seed: number; endOnFailure: true };

/**
 * Returns the seed of a test with random input and the number of its runs: `few` in the first tiers, `many` in
 * the third. HEARTLINE_TEST_SEED replaces the seed; the test prints both, so that a
 * failure can be repeated.
 */
export function propertyOf(t: Test, { few, many }: { few: number; many: number }): PropertyParameters {
  const seed = Number(process.env['HEARTLINE_TEST_SEED'] ?? 20_260_131);
  const numRuns = isThirdTier ? many : few;
  t.comment(`${numRuns} runs from HEARTLINE_TEST_SEED=${seed}`);
  return { numRuns, seed, endOnFailure: true };
}
