import {
  type FigureSetting,
  figureKinds,
  figureLimits,
  figureWindows,
} from '../../../../../contract/public/public-figures.js';
import { CheckList, Segments } from '../../../kit/form/choices.js';
import { TextField } from '../../../kit/form/field.js';
import { RowButtons } from '../../../kit/form/row-buttons.js';
import { SuggestedField } from '../../../kit/form/suggested-field.js';
import { useNames } from '../../../reads/use-names.js';
import { useTexts } from '../../../texts.js';
import { figuresTexts } from './texts.js';

type FieldsProps = {
  figure: FigureSetting;
  at: number;
  last: number;
  onChange(fields: Partial<FigureSetting>): void;
  onMove(to: number): void;
  onRemove(): void;
};

/** The fields of one figure. Services and endpoints that had requests in the last week are suggested. */
export function FigureFields({ figure, at, last, onChange, onMove, onRemove }: FieldsProps) {
  const texts = useTexts(figuresTexts);
  const name = figure.title.trim() || `${at + 1}`;
  const { services, endpoints } = useNames(figure.service);
  return (
    <fieldset class="figure-fields">
      <legend>{texts.figure({ at: at + 1 })}</legend>
      <RowButtons
        {...{ at, last, onRemove, move: (_: number, to: number) => onMove(to) }}
        texts={{ up: texts.moveUp({ name }), down: texts.moveDown({ name }), remove: texts.remove({ name }) }}
      />
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        value={figure.title}
        onInput={(title) => onChange({ title })}
        input={{
          ...{ maxLength: figureLimits.titleChars, dir: 'auto', autocomplete: 'off' },
          placeholder: texts.nameExample,
        }}
      />
      <SuggestedField
        {...{ label: texts.service, hint: texts.serviceWhy, value: figure.service }}
        suggestions={services}
        onInput={(service) => onChange({ service })}
      />
      <SuggestedField
        {...{ label: texts.endpoint, hint: texts.endpointWhy, value: figure.endpoint ?? '' }}
        suggestions={endpoints}
        onInput={(endpoint) => onChange({ endpoint: endpoint === '' ? null : endpoint })}
      />
      <Segments
        label={texts.window}
        options={figureWindows.map((value) => ({ value, title: texts.windows[value] }))}
        value={figure.window}
        onChoose={(window) => onChange({ window })}
      />
      <CheckList
        label={texts.shows}
        options={figureKinds.map((value) => ({ value, title: texts.kinds[value] }))}
        values={figure.shows}
        onChange={(shows) => onChange({ shows })}
      />
    </fieldset>
  );
}
