import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Field } from './field.js';

type SuggestedFieldProps = {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  value: string;
  onInput(value: string): void;
  /** Names that exist: the browser completes what is typed with these. */
  suggestions: readonly string[];
  placeholder?: string;
  maxLength?: number;
};

/** A line of text that names something that exists; a name that is not known yet is one, too. */
export function SuggestedField(props: SuggestedFieldProps) {
  const { value, onInput, suggestions, placeholder, maxLength = 200, ...field } = props;
  const id = useId();
  return (
    <Field {...field}>
      {(input) => (
        <>
          <input
            {...input}
            type="text"
            list={id}
            value={value}
            maxLength={maxLength}
            autocomplete="off"
            spellcheck={false}
            dir="auto"
            {...(placeholder !== undefined && { placeholder })}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
          <datalist id={id}>
            {suggestions.map((suggestion) => (
              <option key={suggestion} value={suggestion} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
