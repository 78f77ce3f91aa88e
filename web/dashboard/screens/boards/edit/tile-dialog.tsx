import type { BoardVariables, Tile } from '../../../../../contract/manage/boards.js';
import type { SavedQuery } from '../../../../../contract/manage/queries.js';
import { Dialog } from '../../../kit/dialog.js';
import { Segments, SelectField } from '../../../kit/form/choices.js';
import { AreaField, NumberField, TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { FormButtons } from '../../../kit/form/form-buttons.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import { SuggestedField } from '../../../kit/form/suggested-field.js';
import { type FormState, useForm } from '../../../kit/form/use-form.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { charsMax, displays, parametersOf, valuesOfFigure, variableNames } from '../known.js';
import { type BoardsTexts, boardsTexts } from '../texts.js';
import { namesUnknown, sourceKinds, type TileValues, tileOf } from './tile-values.js';

type DialogProps = {
  /** The slug of the board. */
  board: string;
  /** The variables of the board, which filters may name. */
  variables: BoardVariables;
  /** The tile that is edited; a new one without. */
  tile: Tile | undefined;
  initial: TileValues;
  onDone(tile: Tile): void;
  onClose(): void;
};

type TileForm = { form: FormState<TileValues> };

/** A form for a tile: its content, its display, and its place for people who move it neither by pointer nor by keys. */
export function TileDialog({ board, variables, tile, initial, onDone, onClose }: DialogProps) {
  const texts = useTexts(boardsTexts);
  const form = useForm<TileValues>({
    ...{ initial, required: ['title'] },
    keptAs: tile === undefined ? `new tile ${board}` : `tile ${board}/${tile.id}`,
    check: (values) => checkTile(values, variables, texts),
    async send(values) {
      onDone(tileOf(values, tile?.id));
    },
  });
  return (
    <Dialog title={tile === undefined ? texts.addTile : texts.tile} onClose={onClose} isWide>
      <Form
        form={form}
        actions={
          <FormButtons
            form={form}
            action={tile === undefined ? texts.addTile : texts.apply}
            onClose={onClose}
          />
        }
      >
        <TextField
          label={texts.title}
          {...form.field('title')}
          input={{ dir: 'auto', maxLength: charsMax.title, autocomplete: 'off' }}
        />
        <Segments
          label={texts.source}
          options={sourceKinds.map((value) => ({ value, title: texts.sources[value] }))}
          value={form.values.kind}
          onChoose={form.set('kind')}
        />
        <SourceFields {...{ form, variables }} />
        {form.values.kind !== 'text' && <LookFields form={form} />}
        <PlaceFields form={form} />
      </Form>
    </Dialog>
  );
}

function checkTile(
  { kind, query, sql, text, parameters }: TileValues,
  variables: BoardVariables,
  texts: BoardsTexts,
): Record<string, string> {
  if (kind === 'query' && query === '') return { query: texts.chooseQuery };
  if (kind === 'sql' && sql.trim() === '') return { sql: texts.writeSql };
  if (kind === 'text' && text.trim() === '') return { text: texts.writeText };
  if (kind !== 'figure') return {};
  const isUnknown = Object.values(parameters).some((value) => namesUnknown(value, variables));
  return isUnknown ? { parameters: texts.unknownVariable({ settings: texts.settings }) } : {};
}

type SourceProps = TileForm & Pick<DialogProps, 'variables'>;

function SourceFields({ form, variables }: SourceProps) {
  const texts = useTexts(boardsTexts);
  const { kind } = form.values;
  if (kind === 'query') return <QueryField form={form} />;
  if (kind === 'figure') return <FigureFields {...{ form, variables }} />;
  if (kind === 'text')
    return <MarkdownField label={texts.text} {...form.field('text')} maxLength={charsMax.text} />;
  return (
    <div class="board-sql">
      <AreaField
        label={texts.statement}
        hint={texts.statementWhy({ from: '{from:DateTime}', to: '{to:DateTime}' })}
        {...form.field('sql')}
        rows={8}
        maxLength={charsMax.sql}
      />
    </div>
  );
}

/** Shared queries alone: a board is for everybody who may read the page. */
function QueryField({ form }: TileForm) {
  const { slug } = usePage();
  const texts = useTexts(boardsTexts);
  const { data } = useRead<{ items: SavedQuery[] }>(pagePath(slug, '/queries', { limit: '200' }));
  const shared = (data?.items ?? []).filter(({ isShared }) => isShared);
  return (
    <SelectField
      label={texts.query}
      hint={data !== undefined && shared.length === 0 ? texts.noQueries : texts.queryWhy}
      error={form.errors['query']}
      options={[
        { value: '', title: texts.chooseQuery },
        ...shared.map(({ id, name }) => ({ value: id, title: name })),
      ]}
      value={form.values.query}
      onChoose={form.set('query')}
    />
  );
}

const paths = Object.keys(parametersOf) as (keyof typeof parametersOf)[]; // The names of its fields.

/** A read of the figures, and which of them. A parameter may be a variable of the board. */
function FigureFields({ form, variables }: SourceProps) {
  const texts = useTexts(boardsTexts);
  const { path, parameters } = form.values;
  const names = variableNames.filter((name) => variables[name] !== undefined).map((name) => `{${name}}`);
  return (
    <>
      <SelectField
        label={texts.figure}
        options={paths.map((value) => ({ value, title: texts.figures[value] }))}
        value={path}
        onChoose={(chosen) => {
          form.set('path')(chosen);
          form.set('parameters')({});
          form.set('value')('');
        }}
      />
      <details class="board-parameters" open={Object.keys(parameters).length > 0}>
        <summary>{texts.parameters}</summary>
        <p class="note">
          {names.length === 0
            ? texts.noVariables({ settings: texts.settings })
            : texts.parametersWhy({ names: names.join(', ') })}
        </p>
        <div class="board-fields">
          {parametersOf[path].map((name) => (
            <SuggestedField
              key={name}
              label={name}
              value={parameters[name] ?? ''}
              error={namesUnknown(parameters[name] ?? '', variables) ? form.errors['parameters'] : undefined}
              suggestions={names}
              onInput={(value) => form.set('parameters')({ ...parameters, [name]: value })}
            />
          ))}
        </div>
      </details>
    </>
  );
}

function LookFields({ form }: TileForm) {
  const texts = useTexts(boardsTexts);
  const { kind, path } = form.values;
  const known: readonly string[] = kind === 'figure' ? (valuesOfFigure[path] ?? []) : [];
  return (
    <>
      <Segments
        label={texts.display}
        options={displays
          .filter((one) => one !== 'text')
          .map((value) => ({ value, title: texts.displays[value] }))}
        value={form.values.display}
        onChoose={form.set('display')}
      />
      <div class="board-fields">
        <SuggestedField
          label={texts.value}
          hint={texts.valueWhy}
          {...form.field('value')}
          suggestions={known}
          maxLength={60}
        />
        <SuggestedField
          label={texts.unit}
          hint={texts.unitWhy}
          {...form.field('unit')}
          suggestions={['ms', '%']}
          maxLength={20}
        />
      </div>
    </>
  );
}

function PlaceFields({ form }: TileForm) {
  const texts = useTexts(boardsTexts);
  return (
    <details class="board-parameters">
      <summary>{texts.placeTitle}</summary>
      <div class="board-fields">
        <NumberField label={texts.column} {...form.field('column')} min={1} max={12} step={1} />
        <NumberField label={texts.row} {...form.field('row')} min={1} max={400} step={1} />
        <NumberField label={texts.width} {...form.field('width')} min={1} max={12} step={1} />
        <NumberField label={texts.height} {...form.field('height')} min={1} max={20} step={1} />
      </div>
    </details>
  );
}
