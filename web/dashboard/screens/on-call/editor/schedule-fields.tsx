import { useMemo } from 'preact/hooks';
import type { PersonOnCall } from '../../../../../contract/manage/schedules.js';
import { scheduleLimits } from '../../../../../contract/manage/schedules.js';
import { SelectField } from '../../../kit/form/choices.js';
import { TextField } from '../../../kit/form/field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { dayOf, mondayOf } from '../calendar/span.js';
import { colourPeople } from '../person.js';
import { onCallTexts } from '../texts.js';
import { LayerFields } from './layer-fields.js';
import { findProblems, type LayerValues, newLayer, type ScheduleValues } from './values.js';

type FieldsProps = { form: FormState<ScheduleValues>; people: readonly PersonOnCall[] };

/** The name, the time zone, and the layers, the highest first, as the calendar draws them. */
export function ScheduleFields({ form, people }: FieldsProps) {
  const texts = useTexts(onCallTexts);
  const { values, set, refusals } = form;
  const { layers } = values;
  const colourOf = colourPeople(layers.flatMap((layer) => layer.people));
  // Problems show once somebody has tried to save.
  const problems = refusals > 0 ? findProblems(values, texts) : {};
  const change = (at: number, layer: LayerValues): void => set('layers')(layers.with(at, layer));
  const move = (at: number, to: number): void => {
    const layer = layers[at];
    if (layer !== undefined) set('layers')(layers.toSpliced(at, 1).toSpliced(to, 0, layer));
  };
  const add = (): void => {
    const monday = mondayOf(dayOf(Date.now(), values.timeZone));
    set('layers')([...layers, newLayer(texts.layerName({ count: layers.length + 1 }), monday)]);
  };
  return (
    <>
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        {...form.field('name')}
        input={{ autocomplete: 'off', dir: 'auto', maxLength: scheduleLimits.nameChars }}
      />
      <ZoneField value={values.timeZone} onChoose={set('timeZone')} error={form.errors['timeZone']} />
      <section class="on-call-layers" aria-label={texts.layers}>
        <header>
          <h3>{texts.layers}</h3>
          <p class="note">{texts.layersWhy}</p>
        </header>
        {form.errors['layers'] !== undefined && (
          <p class="field-error" role="alert">
            <Icon name="warning" />
            <span>{form.errors['layers']}</span>
          </p>
        )}
        {layers.length < scheduleLimits.layers && (
          <button type="button" class="button small" onClick={add}>
            <Icon name="plus" />
            {layers.length === 0 ? texts.addFirstLayer : texts.addLayer}
          </button>
        )}
        {layers
          .map((layer, at) => (
            <LayerFields
              key={at}
              {...{ layer, people, colourOf, zone: values.timeZone }}
              place={{ at: layers.length - 1 - at, last: layers.length - 1 }}
              problemOf={(field) => problems[`layers/${at}/${field}`]}
              onChange={(changed) => change(at, changed)}
              onMove={(from, to) => move(layers.length - 1 - from, layers.length - 1 - to)}
              onRemove={() => set('layers')(layers.toSpliced(at, 1))}
            />
          ))
          .toReversed()}
      </section>
    </>
  );
}

type ZoneProps = { value: string; onChoose(zone: string): void; error: string | undefined };

function ZoneField({ value, onChoose, error }: ZoneProps) {
  const texts = useTexts(onCallTexts);
  const zones = useMemo(() => [...new Set(['UTC', value, ...Intl.supportedValuesOf('timeZone')])], [value]);
  return (
    <SelectField
      label={texts.zone}
      hint={texts.zoneWhy}
      error={error}
      options={zones.map((zone) => ({ value: zone, title: zone.replaceAll('_', ' ') }))}
      value={value}
      onChoose={onChoose}
    />
  );
}
