import { useState } from 'preact/hooks';
import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';
import { Field } from './field.js';

const secondsOf = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
type Unit = keyof typeof secondsOf;
const units = Object.keys(secondsOf) as Unit[]; // The names of its own fields.

type SpanFieldProps = {
  label: string;
  hint?: string;
  error?: string | undefined;
  seconds: number | null;
  onInput(seconds: number | null): void;
  largest: Unit;
  /** Seconds by default. */
  smallest?: Unit;
};

/** A span of time in the unit that people say it in. */
export function SpanField({
  label,
  hint,
  error,
  seconds,
  onInput,
  largest,
  smallest = 'seconds',
}: SpanFieldProps) {
  const texts = useTexts(kitTexts);
  const offered = units.slice(units.indexOf(smallest), units.indexOf(largest) + 1);
  const [unit, setUnit] = useState(() => unitOf(seconds, offered));
  // A value that came in another way, such as the default, may not be a whole number of units.
  const shown = seconds === null || seconds % secondsOf[unit] === 0 ? unit : unitOf(seconds, offered);
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <span class="number-input">
          <input
            {...attributes}
            type="number"
            min={0}
            value={seconds === null ? '' : seconds / secondsOf[shown]}
            onInput={({ currentTarget: { value, valueAsNumber } }) =>
              onInput(value === '' ? null : Math.round(valueAsNumber * secondsOf[shown]))
            }
          />
          <select
            aria-label={texts.unitOf({ field: label })}
            value={shown}
            onChange={({ currentTarget }) => {
              const next = offered.find((one) => one === currentTarget.value) ?? shown;
              setUnit(next);
              if (seconds !== null) onInput((seconds / secondsOf[shown]) * secondsOf[next]);
            }}
          >
            {offered.map((one) => (
              <option key={one} value={one}>
                {texts.units[one]}
              </option>
            ))}
          </select>
        </span>
      )}
    </Field>
  );
}

/** The largest unit of which the span is a whole number. */
function unitOf(seconds: number | null, offered: readonly Unit[]): Unit {
  const fits = offered.filter((unit) => seconds !== null && seconds > 0 && seconds % secondsOf[unit] === 0);
  return fits.at(-1) ?? offered[0] ?? 'seconds';
}
