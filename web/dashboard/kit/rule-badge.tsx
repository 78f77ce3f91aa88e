import type { RuleState } from '../../../contract/manage/rules.js';
import type { AlertSeverity } from '../../../contract/manage/shared.js';
import { useTexts } from '../texts.js';
import { Badge, type Tone } from './badge.js';
import { kitTexts } from './texts.js';

/** The tone of a rule that is not firing. */
const tones: Readonly<Record<Exclude<RuleState, 'firing'>, Tone>> = {
  ok: 'good',
  pending: 'warn',
  'no-data': 'none',
  error: 'warn',
  off: 'none',
};

const firingTones: Readonly<Record<AlertSeverity, Tone>> = { page: 'bad', ticket: 'warn', info: 'info' };

/** The state of a rule in a word. One that fires has the colour of its severity. */
export function RuleBadge({ state, severity }: { state: RuleState; severity: AlertSeverity }) {
  const { ruleStates } = useTexts(kitTexts);
  return <Badge tone={state === 'firing' ? firingTones[severity] : tones[state]}>{ruleStates[state]}</Badge>;
}
