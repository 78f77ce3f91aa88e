import type { BurnPair } from '../../contract/manage/objectives.js';
import type { PutRuleFields } from './change-rule.js';

/** Slugs have at most 60 characters, of which the end takes up to twelve. */
const slugCharsMax = 48;
const nameCharsMax = 100;

/**
 * Returns the rules that alert when the budget of an objective burns too fast, from its pairs of windows, the most urgent first:
 * `checkout-page-fast`, `checkout-page-slow`, `checkout-ticket-fast`, `checkout-ticket-slow`.
 */
export function burnRulesOf(
  { slug, name }: { slug: string; name: string },
  pairs: readonly BurnPair[],
): PutRuleFields[] {
  const short = slug.slice(0, slugCharsMax).replace(/-+$/, '');
  return pairs.map(({ severity, factor, longMinutes, shortMinutes }, at) => {
    const isFirst = pairs.findIndex((pair) => pair.severity === severity) === at;
    const speed = isFirst ? 'fast' : 'slow';
    return {
      ...{
        slug: `${short}-${severity}-${speed}`,
        name: `${name.slice(0, nameCharsMax)}: budget burns ${speed}`,
      },
      ...{ kind: 'burn-rate', severity, target: { objective: slug } },
      condition: { factor, longMinutes, shortMinutes },
    };
  });
}
