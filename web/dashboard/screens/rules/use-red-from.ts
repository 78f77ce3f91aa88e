import type { ManagedRule } from '../../../../contract/manage/rules.js';
import { usePage, useSession } from '../../session.js';

/** The rule from whose threshold on shares of errors are red on every screen. */
const leading = 'failure-rate';

type Threshold = Pick<ManagedRule, 'slug' | 'kind' | 'condition'>;

/** Returns what to call after a rule has changed, with nothing after one is gone: colours of shares follow its threshold. */
export function useRedFrom(): (rule: Threshold | undefined, slug?: string) => void {
  const { slug: page } = usePage();
  const { setThreshold } = useSession();
  return (rule, slug = rule?.slug) => {
    if (slug === leading) setThreshold(page, rule?.condition.percent ?? null);
  };
}
