import type { PersonOnCall } from '../../../../../contract/manage/schedules.js';
import { scheduleLimits } from '../../../../../contract/manage/schedules.js';
import { Field, NumberField, TextField } from '../../../kit/form/field.js';
import { RowButtons } from '../../../kit/form/row-buttons.js';
import { useTexts } from '../../../texts.js';
import { onCallTexts } from '../texts.js';
import { HoursFields } from './hours-fields.js';
import { PeopleFields } from './people-fields.js';
import type { LayerValues } from './values.js';

type LayerProps = {
  layer: LayerValues;
  people: readonly PersonOnCall[];
  zone: string;
  colourOf(email: string): string;
  /** Where it is drawn, from the top. */
  place: { at: number; last: number };
  problemOf(field: string): string | undefined;
  onChange(layer: LayerValues): void;
  onMove(at: number, to: number): void;
  onRemove(): void;
};

/** People who take over from each other: who, from when on, how long each, and at which hours. */
export function LayerFields({
  layer,
  people,
  zone,
  colourOf,
  place,
  problemOf,
  onChange,
  ...list
}: LayerProps) {
  const texts = useTexts(onCallTexts);
  const { name, handoff, count, unit } = layer;
  const set = (fields: Partial<LayerValues>): void => onChange({ ...layer, ...fields });
  return (
    <fieldset class="on-call-layer">
      <legend class="visually-hidden">{name}</legend>
      <div class="on-call-layer-head">
        <TextField
          label={texts.layerTitle}
          value={name}
          onInput={(typed) => set({ name: typed })}
          error={problemOf('name')}
          input={{ autocomplete: 'off', dir: 'auto', maxLength: scheduleLimits.nameChars }}
        />
        <RowButtons
          {...place}
          texts={{
            up: texts.layerUp({ name }),
            down: texts.layerDown({ name }),
            remove: texts.removeLayer({ name }),
          }}
          move={list.onMove}
          onRemove={list.onRemove}
        />
      </div>
      <PeopleFields
        chosen={layer.people}
        {...{ people, colourOf }}
        error={problemOf('people')}
        onChange={(emails) => set({ people: emails })}
      />
      <div class="on-call-turns">
        <Field label={texts.handoff} hint={texts.handoffWhy({ zone })} error={problemOf('handoff')}>
          {(input) => (
            <input
              {...input}
              type="datetime-local"
              value={handoff}
              onInput={({ currentTarget }) => set({ handoff: currentTarget.value.slice(0, 16) })}
            />
          )}
        </Field>
        <div class="on-call-every">
          <NumberField
            label={texts.every}
            value={count}
            onInput={(value) => set({ count: value })}
            min={1}
            max={unit === 'days' ? scheduleLimits.everyDays : scheduleLimits.everyWeeks}
            error={problemOf('count')}
          />
          <Field label={texts.unit}>
            {(input) => (
              <select
                {...input}
                value={unit}
                onChange={({ currentTarget }) =>
                  set({ unit: currentTarget.value === 'days' ? 'days' : 'weeks' })
                }
              >
                <option value="days">{texts.days}</option>
                <option value="weeks">{texts.weeksUnit}</option>
              </select>
            )}
          </Field>
        </div>
      </div>
      <HoursFields hours={layer.hours} error={problemOf('hours')} onChange={(hours) => set({ hours })} />
    </fieldset>
  );
}
