import { CheckList } from '../../../kit/form/choices.js';
import { Field, NumberField, TextField } from '../../../kit/form/field.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import type { Editor } from '../../../kit/form/use-editor.js';
import { useTexts } from '../../../texts.js';
import { textCharsMax, titleCharsMax } from '../limits.js';
import { useMonitorOptions } from '../use-page-facts.js';
import type { Recurrence } from './recurrence.js';
import { RecurrenceFields } from './recurrence-fields.js';
import { maintenanceTexts } from './texts.js';

/** A series as its form has it. */
export type SeriesValues = {
  title: string;
  summary: string;
  monitorSlugs: string[];
  /** The first start on the clock of the zone. */
  startsAt: string;
  durationMinutes: number | null;
  recurrence: Recurrence;
};

type FieldsProps = {
  slug: string;
  editor: Editor<SeriesValues>;
  /** IANA name. */
  zone: string;
  isReadOnly: boolean;
};

/** The fields of a series. */
export function SeriesFields({ slug, editor, zone, isReadOnly }: FieldsProps) {
  const texts = useTexts(maintenanceTexts);
  const { values, set, errors } = editor;
  return (
    <>
      <TextField
        label={texts.title}
        {...editor.field('title')}
        input={{
          dir: 'auto',
          maxLength: titleCharsMax,
          autocomplete: 'off',
          class: 'wide',
          readOnly: isReadOnly,
        }}
      />
      <MarkdownField
        label={texts.summary}
        {...editor.field('summary')}
        maxLength={textCharsMax}
        isReadOnly={isReadOnly}
      />
      <Monitors
        value={values.monitorSlugs}
        onChange={set('monitorSlugs')}
        error={errors['monitorSlugs']}
        isReadOnly={isReadOnly}
      />
      <Field
        label={texts.starts}
        hint={`${texts.zone({ zone })}. ${texts.startsWhy}`}
        error={errors['startsAt']}
      >
        {(input) => (
          <input
            {...input}
            type="datetime-local"
            readOnly={isReadOnly}
            value={values.startsAt}
            onInput={({ currentTarget }) => set('startsAt')(currentTarget.value)}
          />
        )}
      </Field>
      {!isReadOnly && (
        <NumberField
          label={texts.duration}
          {...editor.field('durationMinutes')}
          min={1}
          unit={texts.minutes}
        />
      )}
      <RecurrenceFields
        {...{ slug, zone, errors, isReadOnly }}
        value={values.recurrence}
        onChange={set('recurrence')}
        startsAt={values.startsAt}
        durationMinutes={isReadOnly ? null : values.durationMinutes}
        isSeries
      />
    </>
  );
}

type MonitorsProps = {
  value: string[];
  onChange(value: string[]): void;
  error: string | undefined;
  isReadOnly: boolean;
};

function Monitors({ value, onChange, error, isReadOnly }: MonitorsProps) {
  const texts = useTexts(maintenanceTexts);
  const options = useMonitorOptions();
  if (options === undefined || options.length === 0) return null;
  return (
    <div class="monitor-choices">
      <CheckList
        label={texts.monitors}
        options={options}
        values={value}
        onChange={onChange}
        error={error}
        isDisabled={isReadOnly}
      />
    </div>
  );
}
