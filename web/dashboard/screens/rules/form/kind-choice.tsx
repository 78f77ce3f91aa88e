import { useId } from 'preact/hooks';
import { type RuleKind, ruleKinds } from '../../../../../contract/manage/rules.js';
import { useTexts } from '../../../texts.js';
import { rulesTexts } from '../texts.js';
import { formTexts } from './texts.js';

type KindChoiceProps = { kind: RuleKind; onChoose(kind: RuleKind): void };

/** The kinds of rules, each with what it notices. */
export function KindChoice({ kind, onChoose }: KindChoiceProps) {
  const texts = useTexts(formTexts);
  const { kinds } = useTexts(rulesTexts);
  const name = useId();
  return (
    <fieldset class="choice-cards kind-cards">
      <legend>{texts.kind}</legend>
      {ruleKinds.map((value) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === kind} onChange={() => onChoose(value)} />
          <span>
            <strong>{kinds[value]}</strong>
            <span class="note">{texts.kindsWhy[value]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
