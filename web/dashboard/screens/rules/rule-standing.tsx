import type { ManagedRule as Rule } from '../../../../contract/manage/rules.js';
import { searchOf } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { RuleBadge } from '../../kit/rule-badge.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { rulesTexts } from './texts.js';
import { sayCondition, sayTarget } from './words.js';

/** How a rule is now, in a line. */
export function RuleStanding({ rule }: { rule: Rule }) {
  const { slug } = usePage();
  const texts = useTexts(rulesTexts);
  const format = useFormat();
  const words = { texts, format };
  const { state, since, severity, alerts, error } = rule;
  return (
    <div class="rule-standing">
      <RuleBadge state={state} severity={severity} />
      {since !== null && (
        <span class="note">{texts.sinceTime({ time: format.moment(Date.parse(since)) })}</span>
      )}
      <span dir="auto">
        {texts.kinds[rule.kind]}: {sayTarget(rule, words)} · {sayCondition(rule, words)}
      </span>
      {alerts > 0 && (
        <span>
          {texts.open({ count: alerts })}{' '}
          <a href={pathOfScreen(slug, 'alerts') + searchOf({ rule: rule.slug })}>{texts.showAlerts}</a>
        </span>
      )}
      {error !== null && <span class="rule-error">{texts.errorSince({ reason: error })}</span>}
    </div>
  );
}
