import type { ComponentChildren } from 'preact';
import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';
import { Field } from './field.js';
import { fromWallTime, toWallTime } from './zoned-time.js';

type TimeFieldProps = {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** ISO-8601 in UTC; empty without a time. */
  value: string;
  onInput(value: string): void;
  /** IANA name of the zone in which people enter the time. */
  zone: string;
  isReadOnly?: boolean;
};

/** A date and a time of day, entered in the time zone of the page. */
export function TimeField(props: TimeFieldProps) {
  const { hint, value, onInput, zone, isReadOnly = false, ...field } = props;
  const texts = useTexts(kitTexts);
  return (
    <Field {...field} hint={hint ?? texts.inZone({ zone })}>
      {(attributes) => (
        <input
          {...attributes}
          type="datetime-local"
          readOnly={isReadOnly}
          value={value === '' ? '' : toWallTime(Date.parse(value), zone)}
          onInput={({ currentTarget }) => {
            const at = fromWallTime(currentTarget.value, zone);
            onInput(Number.isNaN(at) ? '' : new Date(at).toISOString());
          }}
        />
      )}
    </Field>
  );
}
