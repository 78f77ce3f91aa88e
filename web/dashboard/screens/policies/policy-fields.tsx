import { useLayoutEffect, useRef } from 'preact/hooks';
import { type ManagedPolicy, policyLimits } from '../../../../contract/manage/policies.js';
import { alertSeverities } from '../../../../contract/manage/shared.js';
import { CheckList } from '../../kit/form/choices.js';
import { NumberField, TextField } from '../../kit/form/field.js';
import type { FormState } from '../../kit/form/use-form.js';
import { Icon } from '../../kit/icons.js';
import { useTexts } from '../../texts.js';
import { StepFields } from './step-fields.js';
import { policiesTexts } from './texts.js';
import type { Names } from './use-names.js';
import { findProblems, type PolicyValues, type StepValues, usualStep } from './values.js';

type FieldsProps = {
  form: FormState<PolicyValues>;
  names: Names;
  /** The other policies, of which one may have a severity already. */
  others: readonly ManagedPolicy[];
};

/** The name, the steps in their order, how often they are gone through, and the severities that get them. */
export function PolicyFields({ form, names, others }: FieldsProps) {
  const texts = useTexts(policiesTexts);
  const { values, set, refusals } = form;
  // Problems show once somebody has tried to save.
  const problems = refusals > 0 ? findProblems(values, texts) : {};
  const holderOf = (severity: (typeof alertSeverities)[number]) =>
    others.find(({ defaultFor }) => defaultFor.includes(severity));
  return (
    <>
      <TextField
        label={texts.name}
        {...form.field('name')}
        input={{ autocomplete: 'off', dir: 'auto', maxLength: policyLimits.nameChars }}
      />
      <Steps
        steps={values.steps}
        names={names}
        error={form.errors['steps']}
        problemOf={(path) => problems[path]}
        onChange={set('steps')}
      />
      <NumberField
        label={texts.repeat}
        hint={texts.repeatWhy}
        {...form.field('repeat')}
        error={form.errors['repeat']}
        min={0}
        max={policyLimits.repeats}
      />
      <CheckList
        label={texts.defaultFor}
        hint={texts.defaultForWhy}
        options={alertSeverities.map((value) => {
          const holder = holderOf(value);
          return {
            ...{ value, title: texts.severities[value] },
            hint: holder === undefined ? texts.severitiesWhy[value] : texts.takenBy({ name: holder.name }),
          };
        })}
        values={values.defaultFor}
        onChange={set('defaultFor')}
        error={form.errors['defaultFor']}
      />
    </>
  );
}

type StepsProps = {
  steps: readonly StepValues[];
  names: Names;
  error: string | undefined;
  problemOf(path: string): string | undefined;
  onChange(steps: StepValues[]): void;
};

function Steps({ steps, names, error, problemOf, onChange }: StepsProps) {
  const texts = useTexts(policiesTexts);
  const list = useRef<HTMLOListElement>(null);
  const focusAt = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (focusAt.current === undefined) return;
    list.current?.querySelector<HTMLElement>(focusAt.current)?.focus();
    focusAt.current = undefined;
  });
  const move = (at: number, to: number): void => {
    const step = steps[at];
    if (step === undefined) return;
    const isEnd = to === 0 || to === steps.length - 1;
    const which = isEnd ? '.icon-button:not([aria-disabled="true"])' : to < at ? '.move-up' : '.move-down';
    focusAt.current = `:scope > li:nth-child(${to + 1}) > .policy-step-head ${which}`;
    onChange(steps.toSpliced(at, 1).toSpliced(to, 0, step));
  };
  return (
    <section class="policy-step-fields" aria-label={texts.steps}>
      <h3>{texts.steps}</h3>
      {error !== undefined && (
        <p class="field-error" role="alert">
          <Icon name="warning" />
          <span>{error}</span>
        </p>
      )}
      <ol ref={list}>
        {steps.map((step, at) => (
          <StepFields
            key={at}
            {...{ step, names, at, last: steps.length - 1, move }}
            problemOf={(field) => problemOf(`steps/${at}/${field}`)}
            onChange={(changed) => onChange(steps.with(at, changed))}
            onRemove={() => steps.length > 1 && onChange(steps.toSpliced(at, 1))}
          />
        ))}
      </ol>
      {steps.length < policyLimits.steps && (
        <button
          type="button"
          class="button small"
          onClick={() => {
            focusAt.current = `:scope > li:nth-child(${steps.length + 1}) select`;
            onChange([...steps, usualStep]);
          }}
        >
          <Icon name="plus" />
          {texts.addStep}
        </button>
      )}
    </section>
  );
}
