import { useId } from 'preact/hooks';
import type { TopAnswer } from '../../../../../contract/analytics/figures.js';
import {
  type FigureSetting,
  figureKinds,
  figureLimits,
  figureWindows,
} from '../../../../../contract/public/public-figures.js';
import { CheckList, Segments } from '../../../kit/form/choices.js';
import { Field, TextField } from '../../../kit/form/field.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { RowButtons } from '../row-buttons.js';
import { figuresTexts } from './texts.js';

type FieldsProps = {
  slug: string;
  figure: FigureSetting;
  at: number;
  last: number;
  onChange(fields: Partial<FigureSetting>): void;
  onMove(to: number): void;
  onRemove(): void;
};

/** The fields of one figure. Services and endpoints that had requests in the last week are suggested. */
export function FigureFields({ slug, figure, at, last, onChange, onMove, onRemove }: FieldsProps) {
  const texts = useTexts(figuresTexts);
  const name = figure.title.trim() || `${at + 1}`;
  const services = useTop(slug, { by: 'service' });
  const isKnown = services.some(({ service }) => service === figure.service);
  const endpoints = useTop(slug, isKnown ? { by: 'endpoint', service: figure.service } : undefined);
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
        suggestions={services.flatMap(({ service }) => service ?? [])}
        onInput={(service) => onChange({ service })}
      />
      <SuggestedField
        {...{ label: texts.endpoint, hint: texts.endpointWhy, value: figure.endpoint ?? '' }}
        suggestions={[...new Set(endpoints.flatMap(({ endpoint }) => endpoint ?? []))]}
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

const suggestionsMax = 100;

/** The largest services or endpoints of the last week; empty without a question, and while they cannot be read. */
function useTop(slug: string, asked: { by: string; service?: string } | undefined): TopAnswer['rows'] {
  const query = asked && { ...asked, from: 'now-7d', to: 'now', limit: `${suggestionsMax}` };
  const read = useRead<TopAnswer>(query && pagePath(slug, '/analytics/top', query));
  return query === undefined ? [] : (read.data?.rows ?? []);
}

type SuggestedProps = {
  label: string;
  hint: string;
  value: string;
  suggestions: readonly string[];
  onInput(value: string): void;
};

function SuggestedField({ label, hint, value, suggestions, onInput }: SuggestedProps) {
  const id = useId();
  return (
    <Field label={label} hint={hint}>
      {(input) => (
        <>
          <input
            {...input}
            type="text"
            list={id}
            value={value}
            maxLength={200}
            autocomplete="off"
            spellcheck={false}
            dir="auto"
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
