import { randomInt } from 'node:crypto';
import type { Test } from 'tap';
import { isThirdTier } from './tiers.js';

/** Parameters of fast-check. */
export type PropertyParameters = { numRuns: number; seed: number; endOnFailure: true };

/**
 * Returns the seed of a test with random input and the number of its runs: in the first tiers a fixed seed and `few`, in
 * the third a new seed and `many`. HEARTLINE_TEST_SEED replaces the seed; the test prints both, so that a failure can be
 * repeated.
 */
export function propertyOf(t: Test, { few, many }: { few: number; many: number }): PropertyParameters {
  const usual = isThirdTier ? randomInt(2 ** 31) : 20_260_131;
  const seed = Number(process.env['HEARTLINE_TEST_SEED'] ?? usual);
  const numRuns = isThirdTier ? many : few;
  t.comment(`${numRuns} runs from HEARTLINE_TEST_SEED=${seed}`);
  return { numRuns, seed, endOnFailure: true };
}
