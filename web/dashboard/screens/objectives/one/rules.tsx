import { type ManagedRule, ruleLimits } from '../../../../../contract/manage/rules.js';
import { searchOf } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Panel } from '../../../kit/panel.js';
import { RuleBadge } from '../../../kit/rule-badge.js';
import { pagePath } from '../../../reads/api-path.js';
import type { ListAnswer } from '../../../reads/use-list.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { pathOfScreen } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';

/** The rules that look at an objective; none while they are not known. */
export function useRulesOf(objective: string): readonly ManagedRule[] {
  const { slug } = usePage();
  const path = pagePath(slug, '/rules', { limit: String(ruleLimits.perPage) });
  const { data } = useRead<ListAnswer<ManagedRule>>(path, { everyMs: 60_000 });
  return (data?.items ?? []).filter(({ target }) => target.objective === objective);
}

/** The rules of an objective with their states, the most urgent first. */
export function ObjectiveRules({ objective, rules }: { objective: string; rules: readonly ManagedRule[] }) {
  const { slug, may } = usePage();
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const path = pathOfScreen(slug, 'rules');
  const ordered = [...rules].sort((a, b) => (b.condition.factor ?? 0) - (a.condition.factor ?? 0));
  return (
    <Panel
      title={texts.rules}
      note={texts.rulesWhy}
      actions={
        may('rules.write') && (
          <a class="button small" href={path + searchOf({ new: 'burn-rate', objective })}>
            {texts.addRule}
          </a>
        )
      }
    >
      {rules.length === 0 && <p class="note">{texts.noRules}</p>}
      <ul class="objective-rules">
        {ordered.map(({ slug: rule, name, state, severity, condition }) => (
          <li key={rule}>
            <RuleBadge state={state} severity={severity} />
            <a href={path + searchOf({ rule })} dir="auto">
              {name}
            </a>
            {condition.factor !== undefined && (
              <span class="note">
                {texts.ruleSays({
                  factor: format.number(condition.factor),
                  long: format.span(60 * (condition.longMinutes ?? 0)),
                  short: format.span(60 * (condition.shortMinutes ?? 0)),
                })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
