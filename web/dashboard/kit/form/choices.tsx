import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../icons.js';
import { Field } from './field.js';

type Option<Value extends string> = { value: Value; title: string; hint?: string | undefined };

type SelectProps<Value extends string> = {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  options: readonly Option<Value>[];
  value: Value;
  onChoose(value: Value): void;
  isDisabled?: boolean;
};

/** One of several, in a list that opens. */
export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { label, hint, error, options, value, onChoose, isDisabled = false } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(input) => (
        <select
          {...input}
          value={value}
          disabled={isDisabled}
          onChange={({ currentTarget }) => {
            const chosen = options.find((option) => option.value === currentTarget.value);
            if (chosen !== undefined) onChoose(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** One of a few, side by side; what is chosen is always seen. */
export function Segments<Value extends string>(props: Omit<SelectProps<Value>, 'hint' | 'error'>) {
  const { label, options, value, onChoose, isDisabled = false } = props;
  const name = useId();
  return (
    <fieldset class="segments" disabled={isDisabled}>
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <span>{option.title}</span>
        </label>
      ))}
    </fieldset>
  );
}

type SwitchProps = {
  label: string;
  hint?: ComponentChildren;
  isOn: boolean;
  onSwitch(isOn: boolean): void;
  isDisabled?: boolean;
};

/** Something that is on or off. */
export function Switch({ label, hint, isOn, onSwitch, isDisabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div class="switch">
      <input
        type="checkbox"
        role="switch"
        id={id}
        checked={isOn}
        aria-checked={isOn}
        disabled={isDisabled}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
        onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} class="note">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

type CheckListProps<Value extends string> = {
  label: string;
  hint?: ComponentChildren;
  /** The problem of the choice; takes the place of the hint. */
  error?: string | undefined;
  options: readonly Option<Value>[];
  values: readonly Value[];
  onChange(values: Value[]): void;
  isDisabled?: boolean;
};

/** Any of several, in the order of the options. */
export function CheckList<Value extends string>(props: CheckListProps<Value>) {
  const { label, hint, error, options, values, onChange, isDisabled = false } = props;
  const id = useId();
  const isDescribed = error !== undefined || hint !== undefined;
  const chosen = new Set(values);
  return (
    <fieldset class="check-list" disabled={isDisabled} {...(isDescribed && { 'aria-describedby': id })}>
      <legend>{label}</legend>
      {isDescribed && (
        <p id={id} class={error === undefined ? 'note' : 'field-error'}>
          {error !== undefined && <Icon name="warning" />}
          <span>{error ?? hint}</span>
        </p>
      )}
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="checkbox"
            checked={chosen.has(option.value)}
            {...(error !== undefined && { 'aria-invalid': true as const })}
            onChange={({ currentTarget }) => {
              if (currentTarget.checked) chosen.add(option.value);
              else chosen.delete(option.value);
              onChange(options.map((one) => one.value).filter((one) => chosen.has(one)));
            }}
          />
          <span>
            <span dir="auto">{option.title}</span>
            {option.hint !== undefined && <span class="note"> {option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
