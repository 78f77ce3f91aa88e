import type { Observation } from './observation.js';
import type { Rule } from './rule.js';

/** How fast a budget burns over the two windows of a rule; null where nothing was measured. */
export type BurnRates = { long: number | null; short: number | null };

/** Compares burn rates with a rule: both windows must exceed its factor, so that an alert ends soon after its cause. */
export function judgeBurnRate({ condition }: Rule, { long, short }: BurnRates): Observation[] {
  const { factor = 1 } = condition;
  const threshold = factor;
  if (long === null || short === null) return [{ group: '', look: 'none', threshold }];
  return [{ group: '', look: long > factor && short > factor ? 'bad' : 'good', value: long, threshold }];
}
