import { NumberField } from '../../kit/form/field.js';
import type { FormState } from '../../kit/form/use-form.js';
import { useTexts } from '../../texts.js';
import type { RuleFields } from './rule.js';
import { alertsTexts } from './texts.js';

type FieldsProps = { form: Pick<FormState<RuleFields>, 'values' | 'set' | 'errors'> };

/** The three numbers of a rule. */
export function RuleInputs({ form: { values, set, errors } }: FieldsProps) {
  const texts = useTexts(alertsTexts);
  return (
    <div class="rule-fields">
      <NumberField
        label={texts.threshold}
        hint={texts.thresholdWhy}
        value={values.thresholdPercent}
        onInput={set('thresholdPercent')}
        error={errors['thresholdPercent']}
        unit={texts.percent}
        step="any"
        min={0}
        max={100}
      />
      <NumberField
        label={texts.window}
        hint={texts.windowWhy}
        value={values.windowMinutes}
        onInput={set('windowMinutes')}
        error={errors['windowMinutes']}
        unit={texts.minutes}
        min={1}
        max={1_440}
      />
      <NumberField
        label={texts.minimum}
        hint={texts.minimumWhy}
        value={values.minimumRequests}
        onInput={set('minimumRequests')}
        error={errors['minimumRequests']}
        unit={texts.requests}
        min={1}
      />
    </div>
  );
}
