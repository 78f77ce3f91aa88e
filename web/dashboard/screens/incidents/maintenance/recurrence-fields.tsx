import type { ComponentChildren } from 'preact';
import { SelectField } from '../../../kit/form/choices.js';
import { Field, NumberField, TextField } from '../../../kit/form/field.js';
import type { FieldErrors } from '../../../reads/fetch-json.js';
import { useTexts } from '../../../texts.js';
import { NextDates } from './next-dates.js';
import { ends, type Recurrence, repeats, ruleOf, weekdayOf } from './recurrence.js';
import { maintenanceTexts } from './texts.js';
import { useDates } from './use-dates.js';

export type RecurrenceFieldsProps = {
  slug: string;
  value: Recurrence;
  onChange(value: Recurrence): void;
  /** The first start on the clock of the zone, such as `2026-12-06T02:00`; empty while nothing is entered. */
  startsAt: string;
  /** IANA name of the zone in which the maintenance keeps its hour. */
  zone: string;
  /** `null` while it is not known. */
  durationMinutes: number | null;
  /** Problems, by `rule` and `noticeDays`. */
  errors?: FieldErrors;
  /** The maintenance recurs in any case, as a series does. */
  isSeries?: boolean;
  isReadOnly?: boolean;
};

/** Whether and how a maintenance recurs, with its next dates. */
export function RecurrenceFields(props: RecurrenceFieldsProps) {
  const { slug, value, onChange, startsAt, zone, durationMinutes, errors = {} } = props;
  const texts = useTexts(maintenanceTexts);
  const rule = ruleOf(value, startsAt, zone);
  const isOwn = value.repeat === 'own';
  return (
    <fieldset class="recurrence" disabled={props.isReadOnly === true}>
      <legend class="visually-hidden">{texts.rule}</legend>
      <RepeatField {...props} error={isOwn ? undefined : errors['rule']} />
      {isOwn && (
        <TextField
          label={texts.ownRule}
          hint={texts.ownRuleWhy}
          error={errors['rule']}
          value={value.ownRule}
          onInput={(ownRule) => onChange({ ...value, ownRule })}
          input={{ autocomplete: 'off', spellcheck: false, maxLength: 500, class: 'wide mono' }}
        />
      )}
      {value.repeat !== 'never' && (
        <>
          {!isOwn && <EndFields value={value} onChange={onChange} />}
          <NumberField
            label={texts.notice}
            hint={texts.noticeWhy}
            error={errors['noticeDays']}
            value={value.noticeDays}
            onInput={(noticeDays) => onChange({ ...value, noticeDays })}
            min={1}
            max={90}
            unit={texts.noticeUnit}
          />
          {props.isReadOnly !== true && <NextDates {...{ slug, rule, startsAt, zone, durationMinutes }} />}
        </>
      )}
    </fieldset>
  );
}

type RepeatProps = Pick<RecurrenceFieldsProps, 'value' | 'onChange' | 'startsAt' | 'zone' | 'isSeries'> & {
  error: string | undefined;
};

function RepeatField({
  value,
  onChange,
  startsAt,
  zone,
  isSeries = false,
  error,
}: RepeatProps): ComponentChildren {
  const texts = useTexts(maintenanceTexts);
  const dates = useDates(zone);
  const { index, nth } = weekdayOf(startsAt === '' ? new Date().toISOString() : startsAt);
  const day = dates.weekday(index);
  const titles = {
    never: texts.never,
    weekly: texts.weekly({ day }),
    fortnightly: texts.fortnightly({ day }),
    monthly: texts.monthly({ day, n: nth }),
    own: texts.own,
  };
  const options = repeats.filter((one) => !isSeries || one !== 'never');
  return (
    <SelectField
      label={texts.repeats}
      error={error}
      options={options.map((one) => ({ value: one, title: titles[one] }))}
      value={value.repeat}
      onChoose={(repeat) => onChange({ ...value, repeat })}
    />
  );
}

function EndFields({ value, onChange }: Pick<RecurrenceFieldsProps, 'value' | 'onChange'>) {
  const texts = useTexts(maintenanceTexts);
  const titles = { never: texts.endsNever, count: texts.endsCount, date: texts.endsDate };
  return (
    <div class="recurrence-end">
      <SelectField
        label={texts.ends}
        options={ends.map((one) => ({ value: one, title: titles[one] }))}
        value={value.end}
        onChoose={(end) => onChange({ ...value, end })}
      />
      {value.end === 'count' && (
        <NumberField
          label={texts.count}
          value={value.count}
          onInput={(count) => onChange({ ...value, count })}
          min={1}
          max={366}
          unit={texts.times}
        />
      )}
      {value.end === 'date' && (
        <Field label={texts.lastDay}>
          {(input) => (
            <input
              {...input}
              type="date"
              value={value.lastDay}
              onInput={({ currentTarget }) => onChange({ ...value, lastDay: currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}
