import type { ComponentChildren, RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useTexts } from '../../texts.js';
import { Icon } from '../icons.js';
import { kitTexts } from '../texts.js';

/** The attributes that connect an input with its label, its hint and its error. */
export type FieldInput = {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
};

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  /** The problem of the value; takes the place of the hint. */
  error?: string | undefined;
  children(input: FieldInput): ComponentChildren;
};

/** A label, its input, a hint, and what is wrong. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const about = `${id}-about`;
  const isDescribed = error !== undefined || hint !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': isDescribed ? about : undefined,
      })}
      {isDescribed && (
        <p id={about} class={error === undefined ? 'note' : 'field-error'}>
          {error !== undefined && <Icon name="warning" />}
          <span>{error ?? hint}</span>
        </p>
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> & {
  value: string;
  onInput(value: string): void;
  /** For callers that move the focus. */
  inputRef?: RefObject<HTMLInputElement | null> | undefined;
  /** Further attributes of the input. */
  input?: {
    autocomplete?: 'name' | 'username' | 'one-time-code' | 'off';
    inputMode?: 'numeric' | 'url' | 'email';
    spellcheck?: boolean;
    placeholder?: string;
    dir?: 'auto';
    maxLength?: number;
    readOnly?: boolean;
    class?: string;
  };
};

/** A line of text. */
export function TextField({ value, onInput, inputRef, input, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <input
          {...input}
          {...attributes}
          {...(inputRef !== undefined && { ref: inputRef })}
          type="text"
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

type NumberFieldProps = Omit<FieldProps, 'children'> & {
  value: number | null;
  /** `null` while the field is empty. */
  onInput(value: number | null): void;
  min?: number;
  max?: number;
  step?: number | 'any';
  /** The unit, behind the field. */
  unit?: string;
};

/** A number. The service says what is wrong with one out of its range. */
export function NumberField({ value, onInput, min, max, step, unit, ...field }: NumberFieldProps) {
  const [typed, setTyped] = useState('');
  // `12.` on the way to `12.5` stays as it is typed.
  const isTyped = numberOf(typed) === value;
  return (
    <Field {...field}>
      {(attributes) => (
        <span class="number-input">
          <input
            {...attributes}
            type="number"
            {...(min !== undefined && { min })}
            {...(max !== undefined && { max })}
            {...(step !== undefined && { step })}
            value={isTyped ? typed : (value ?? '')}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
              onInput(numberOf(currentTarget.value));
            }}
          />
          {unit !== undefined && <span class="note">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

function numberOf(text: string): number | null {
  return text === '' ? null : Number(text);
}

type AreaFieldProps = Omit<FieldProps, 'children'> & {
  value: string;
  onInput(value: string): void;
  rows?: number;
  maxLength?: number;
  isReadOnly?: boolean;
  areaRef?: RefObject<HTMLTextAreaElement | null> | undefined;
};

/** Several lines of text. */
export function AreaField(props: AreaFieldProps) {
  const { value, onInput, rows = 4, maxLength, isReadOnly = false, areaRef, ...field } = props;
  return (
    <Field {...field}>
      {(attributes) => (
        <textarea
          {...attributes}
          {...(areaRef !== undefined && { ref: areaRef })}
          {...(maxLength !== undefined && { maxLength })}
          dir="auto"
          rows={rows}
          readOnly={isReadOnly}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

type PasswordFieldProps = Omit<TextFieldProps, 'input'> & {
  autocomplete: 'current-password' | 'new-password';
};

/** A password, which its owner can look at. */
export function PasswordField({ value, onInput, inputRef, autocomplete, ...field }: PasswordFieldProps) {
  const texts = useTexts(kitTexts);
  const [isShown, setShown] = useState(false);
  return (
    <Field {...field}>
      {(attributes) => (
        <span class="password-input">
          <input
            {...attributes}
            {...(inputRef !== undefined && { ref: inputRef })}
            {...(isShown ? { type: 'text' as const } : { type: 'password' as const })}
            autocomplete={autocomplete}
            autocapitalize="none"
            spellcheck={false}
            value={value}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
          <button type="button" class="link-button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? texts.hidePassword : texts.showPassword}
            <span class="visually-hidden">: {field.label}</span>
          </button>
        </span>
      )}
    </Field>
  );
}
