import { type PolicyTarget, policyLimits } from '../../../../contract/manage/policies.js';
import { Field, NumberField } from '../../kit/form/field.js';
import { RowButtons } from '../../kit/form/row-buttons.js';
import { isSame } from '../../kit/form/use-form.js';
import { Icon } from '../../kit/icons.js';
import { useTexts } from '../../texts.js';
import { Target, type TargetKind } from './target.js';
import { policiesTexts } from './texts.js';
import type { Names } from './use-names.js';
import type { StepValues } from './values.js';

type StepProps = {
  step: StepValues;
  names: Names;
  at: number;
  last: number;
  move(at: number, to: number): void;
  problemOf(field: 'notify' | 'waitMinutes'): string | undefined;
  onChange(step: StepValues): void;
  onRemove(): void;
};

/** Whom a step tells, and how long it waits. */
export function StepFields({ step, names, at, last, move, problemOf, onChange, onRemove }: StepProps) {
  const texts = useTexts(policiesTexts);
  const number = at + 1;
  const { notify, waitMinutes } = step;
  return (
    <li>
      <div class="policy-step-head">
        <h4>{texts.step({ number })}</h4>
        <RowButtons
          {...{ at, last, move, onRemove }}
          texts={{
            up: texts.stepUp({ number }),
            down: texts.stepDown({ number }),
            remove: texts.removeStep({ number }),
          }}
        />
      </div>
      {notify.length > 0 && (
        <ul class="policy-tell">
          {notify.map((target, which) => {
            const name = names.nameOf(target);
            return (
              <li key={JSON.stringify(target)}>
                <Target {...{ target, name }}>
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={texts.dontTell({ name })}
                    onClick={() => onChange({ ...step, notify: notify.toSpliced(which, 1) })}
                  >
                    <Icon name="close" />
                  </button>
                </Target>
              </li>
            );
          })}
        </ul>
      )}
      {notify.length < policyLimits.targetsOfStep && (
        <AddTarget
          {...{ names, notify }}
          error={problemOf('notify')}
          onAdd={(target) => onChange({ ...step, notify: [...notify, target] })}
        />
      )}
      <NumberField
        label={texts.wait}
        value={waitMinutes}
        onInput={(value) => onChange({ ...step, waitMinutes: value })}
        min={1}
        max={policyLimits.waitMinutes}
        unit={texts.minutes}
        error={problemOf('waitMinutes')}
      />
    </li>
  );
}

type AddProps = {
  names: Names;
  notify: readonly PolicyTarget[];
  error: string | undefined;
  onAdd(target: PolicyTarget): void;
};

/** Adds a person, whoever is on call by a schedule, or a channel. */
function AddTarget({ names, notify, error, onAdd }: AddProps) {
  const texts = useTexts(policiesTexts);
  const groups: Readonly<Record<TargetKind, readonly { target: PolicyTarget; title: string }[]>> = {
    schedule: names.schedules.map(({ slug, name }) => ({ target: { schedule: slug }, title: name })),
    person: names.people.map(({ email, name }) => ({ target: { person: email }, title: name })),
    channel: names.channels.map(({ name }) => ({ target: { channel: name }, title: name })),
  };
  const kinds = ['schedule', 'person', 'channel'] as const;
  return (
    <Field label={texts.tell} hint={texts.tellWhy} error={error}>
      {(input) => (
        <select
          {...input}
          value=""
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            const all = kinds.flatMap((kind) => groups[kind]);
            const found = all.find(({ target }) => JSON.stringify(target) === value);
            if (found !== undefined) onAdd(found.target);
          }}
        >
          <option value="">{texts.addTarget}</option>
          {kinds.map((kind) => {
            const left = groups[kind].filter(({ target }) => !notify.some((one) => isSame(one, target)));
            return (
              left.length > 0 && (
                <optgroup key={kind} label={texts.groups[kind]}>
                  {left.map(({ target, title }) => (
                    <option key={title} value={JSON.stringify(target)}>
                      {title}
                    </option>
                  ))}
                </optgroup>
              )
            );
          })}
        </select>
      )}
    </Field>
  );
}
