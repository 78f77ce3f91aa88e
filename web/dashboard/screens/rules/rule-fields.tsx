import { NumberField } from '../../kit/form/field.js';
import type { FormState } from '../../kit/form/use-form.js';
import { useTexts } from '../../texts.js';
import type { RuleFields } from './rule.js';
import { rulesTexts } from './texts.js';

type FieldsProps = { form: Pick<FormState<RuleFields>, 'field'> };

/** The three numbers of a rule. */
export function RuleInputs({ form }: FieldsProps) {
  const texts = useTexts(rulesTexts);
  return (
    <div class="rule-fields">
      <NumberField
        label={texts.threshold}
        hint={texts.thresholdWhy}
        {...form.field('thresholdPercent')}
        unit={texts.percent}
        step="any"
        min={0}
        max={100}
      />
      <NumberField
        label={texts.window}
        hint={texts.windowWhy}
        {...form.field('windowMinutes')}
        unit={texts.minutes}
        min={1}
        max={1_440}
      />
      <NumberField
        label={texts.minimum}
        hint={texts.minimumWhy}
        {...form.field('minimumRequests')}
        unit={texts.requests}
        min={1}
      />
    </div>
  );
}
