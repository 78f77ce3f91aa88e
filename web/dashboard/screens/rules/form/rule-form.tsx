import type { ComponentChildren } from 'preact';
import { ruleLimits } from '../../../../../contract/manage/rules.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { PreviewPanel } from '../preview/preview-panel.js';
import { ConditionFields } from './condition-fields.js';
import { KindChoice } from './kind-choice.js';
import { TargetFields } from './target-fields.js';
import { TellingFields, TimingFields } from './telling-fields.js';
import { formTexts } from './texts.js';
import { noDataOf, type RuleValues, slugOf } from './values.js';

type RuleFormProps = {
  form: FormState<RuleValues>;
  actions: ComponentChildren;
  /** Whether it is saved, so that its kind and its short name stay. */
  isSaved: boolean;
  isReadOnly?: boolean;
  /** Whether a threshold is to be set from what was measured, once. */
  suggests?: boolean;
};

/** The fields of a rule beside what it would have done. */
export function RuleForm({ form, actions, isSaved, isReadOnly = false, suggests = false }: RuleFormProps) {
  const { values, errors, set } = form;
  const texts = useTexts(formTexts);
  return (
    <div class="rule-form">
      <Form form={form} actions={!isReadOnly && actions}>
        <fieldset class="rule-panels" disabled={isReadOnly}>
          <legend class="visually-hidden">{texts.what}</legend>
          <Panel title={texts.what}>
            <div class="form">
              <TextField
                label={texts.nameField}
                hint={texts.nameWhy}
                {...form.field('name')}
                input={{ dir: 'auto', maxLength: ruleLimits.nameChars, autocomplete: 'off' }}
              />
              {!isSaved && (
                <KindChoice
                  kind={values.kind}
                  onChoose={(kind) => {
                    set('kind')(kind);
                    set('noData')(noDataOf(kind));
                  }}
                />
              )}
              <TargetFields form={form} />
            </div>
          </Panel>
          <Panel title={texts.when}>
            <div class="form">
              <ConditionFields form={form} />
              <TimingFields form={form} />
            </div>
          </Panel>
          <Panel title={texts.telling}>
            <div class="form">
              <TellingFields form={form} isSaved={isSaved} />
              <TextField
                label={texts.slug}
                hint={texts.slugWhy}
                error={errors['slug']}
                value={slugOf(values)}
                onInput={set('slug')}
                input={{ spellcheck: false, autocomplete: 'off', maxLength: 60, readOnly: isSaved }}
              />
            </div>
          </Panel>
        </fieldset>
      </Form>
      <PreviewPanel form={form} isReadOnly={isReadOnly} suggests={suggests} />
    </div>
  );
}
