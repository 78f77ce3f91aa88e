import { noDataChoices } from '../../../../../contract/manage/rules.js';
import { alertSeverities } from '../../../../../contract/manage/shared.js';
import { Segments, SelectField, Switch } from '../../../kit/form/choices.js';
import { SpanField } from '../../../kit/form/span-field.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { rulesTexts } from '../texts.js';
import { type RuleFormProps, withChosen } from './target-fields.js';
import { formTexts } from './texts.js';
import { useMonitors, usePolicies, useRules, useTemplates } from './use-choices.js';

/** How soon a rule fires, when its alert ends, and what a window without data means. */
export function TimingFields({ form }: RuleFormProps) {
  const { values, errors, set } = form;
  const texts = useTexts(formTexts);
  return (
    <>
      <div class="field-row">
        <SpanField
          {...{ label: texts.for, hint: texts.forWhy, error: errors['forSeconds'], largest: 'hours' }}
          seconds={values.forSeconds}
          onInput={set('forSeconds')}
        />
        <SpanField
          {...{ label: texts.resolveFor, hint: texts.resolveForWhy, largest: 'hours' }}
          error={errors['resolveForSeconds']}
          seconds={values.resolveForSeconds}
          onInput={set('resolveForSeconds')}
        />
      </div>
      <div class="field-choice">
        <Segments
          label={texts.noData}
          options={noDataChoices.map((value) => ({ value, title: texts.noDatas[value] }))}
          value={values.noData}
          onChoose={set('noData')}
        />
        <p class="note">{texts.noDataWhy[values.noData]}</p>
      </div>
    </>
  );
}

/** Whom an alert of the rule tells, and what holds it back. */
export function TellingFields({ form, isSaved }: RuleFormProps & { isSaved: boolean }) {
  const { values, errors, set } = form;
  const texts = useTexts(formTexts);
  const { severities } = useTexts(rulesTexts);
  const policies = usePolicies();
  return (
    <>
      <div class="field-choice">
        <Segments
          label={texts.severityField}
          options={alertSeverities.map((value) => ({ value, title: severities[value] }))}
          value={values.severity}
          onChoose={set('severity')}
        />
        <p class="note">{texts.severityWhy[values.severity]}</p>
      </div>
      <SelectField
        label={texts.policyField}
        hint={texts.policyWhy}
        error={errors['policy']}
        options={[{ value: '', title: texts.policyDefault }, ...withChosen(policies, values.policy)]}
        value={values.policy}
        onChoose={set('policy')}
      />
      <Switch
        label={texts.opensIncident}
        hint={texts.opensIncidentWhy}
        isOn={values.opensIncident}
        onSwitch={set('opensIncident')}
      />
      {values.opensIncident && <TemplateField form={form} />}
      <DependsOn form={form} isSaved={isSaved} />
    </>
  );
}

function TemplateField({ form: { values, errors, set } }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const templates = useTemplates();
  const first = values.kind === 'failure-rate' ? texts.ownTexts : texts.chooseTemplate;
  return (
    <SelectField
      label={texts.template}
      error={errors['template']}
      options={[{ value: '', title: first }, ...withChosen(templates, values.template)]}
      value={values.template}
      onChoose={set('template')}
    />
  );
}

/** The list of what holds alerts back, to add to and to remove from. */
function DependsOn({ form: { values, errors, set }, isSaved }: RuleFormProps & { isSaved: boolean }) {
  const texts = useTexts(formTexts);
  const monitors = useMonitors().map(({ value, title }) => ({
    ...{ value, title: texts.dependencyMonitor({ name: title }) },
  }));
  const rules = useRules()
    .filter(({ value }) => !isSaved || value !== `rule:${values.slug}`)
    .map(({ value, title }) => ({ value, title: texts.dependencyRule({ name: title }) }));
  const all = [...monitors, ...rules];
  const titleOf = (chosen: string) =>
    all.find(({ value }) => value === chosen)?.title ?? chosen.slice(chosen.indexOf(':') + 1);
  return (
    <div class="depends-on">
      <SelectField
        label={texts.dependsOn}
        hint={texts.dependsOnWhy}
        error={errors['dependsOn']}
        options={[
          { value: '', title: texts.addDependency },
          ...all.filter(({ value }) => !values.dependsOn.includes(value)),
        ]}
        value=""
        onChoose={(chosen) => chosen !== '' && set('dependsOn')([...values.dependsOn, chosen])}
      />
      {values.dependsOn.length > 0 && (
        <ul>
          {values.dependsOn.map((chosen) => (
            <li key={chosen}>
              <span dir="auto">{titleOf(chosen)}</span>
              <button
                type="button"
                class="icon-button"
                aria-label={texts.removeDependency({ name: titleOf(chosen) })}
                onClick={() => set('dependsOn')(values.dependsOn.filter((one) => one !== chosen))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
