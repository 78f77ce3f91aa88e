import type { Tile } from '../../../../../contract/manage/boards.js';
import { Dialog } from '../../../kit/dialog.js';
import { Switch } from '../../../kit/form/choices.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { FormButtons } from '../../../kit/form/form-buttons.js';
import type { Editor } from '../../../kit/form/use-editor.js';
import { useForm } from '../../../kit/form/use-form.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { type BoardValues, charsMax, variableNames } from '../known.js';
import { type BoardsTexts, boardsTexts } from '../texts.js';
import { tilesWithoutVariable } from './tile-values.js';

type Settings = Pick<BoardValues, 'name' | 'description' | 'range' | 'variables'>;

type DialogProps = {
  /** The slug of the board. */
  board: string;
  editor: Editor<BoardValues>;
  onClose(): void;
};

/** The name of a board, its usual time range, and what readers may choose. It is saved with the board. */
export function BoardDialog({ board, editor, onClose }: DialogProps) {
  const texts = useTexts(boardsTexts);
  const { name, description, range, variables, tiles } = editor.values;
  const form = useForm<Settings>({
    ...{ initial: { name, description, range, variables }, required: ['name', 'range'] },
    keptAs: `board settings ${board}`,
    check: (values) => checkSettings(values, tiles, texts),
    async send(values) {
      editor.set('name')(values.name.trim());
      editor.set('description')(values.description.trim());
      editor.set('range')(values.range.trim());
      editor.set('variables')(values.variables);
      onClose();
    },
  });
  const chosen = form.values.variables;
  const wrong = form.errors['variables'];
  return (
    <Dialog title={texts.settings} onClose={onClose}>
      <Form form={form} actions={<FormButtons form={form} action={texts.apply} onClose={onClose} />}>
        <TextField
          label={texts.name}
          {...form.field('name')}
          input={{ dir: 'auto', maxLength: charsMax.name, autocomplete: 'off' }}
        />
        <TextField
          label={texts.description}
          {...form.field('description')}
          input={{ dir: 'auto', maxLength: charsMax.description, autocomplete: 'off' }}
        />
        <TextField
          label={texts.range}
          hint={texts.rangeWhy}
          {...form.field('range')}
          input={{ maxLength: 6, autocomplete: 'off', spellcheck: false }}
        />
        <fieldset class="form board-choices">
          <legend>{texts.variablesTitle}</legend>
          <p class="note">{texts.variablesWhy({ name: '{service}' })}</p>
          {variableNames.map((one) => {
            const { [one]: variable, ...others } = chosen;
            const set = form.set('variables');
            return (
              <div key={one} class="board-choice">
                <Switch
                  label={texts.variables[one]}
                  isOn={variable !== undefined}
                  onSwitch={(isOn) => set(isOn ? { ...others, [one]: {} } : others)}
                />
                {variable !== undefined && (
                  <TextField
                    label={texts.initialOf({ name: texts.variables[one] })}
                    value={variable.initial ?? ''}
                    onInput={(text) => set({ ...others, [one]: text === '' ? {} : { initial: text } })}
                    input={{ maxLength: 200, autocomplete: 'off', dir: 'auto' }}
                  />
                )}
              </div>
            );
          })}
          {wrong !== undefined && (
            <p class="field-error" role="alert">
              <Icon name="warning" />
              <span>{wrong}</span>
            </p>
          )}
        </fieldset>
      </Form>
    </Dialog>
  );
}

function checkSettings(
  { range, variables }: Settings,
  tiles: readonly Tile[],
  texts: BoardsTexts,
): Record<string, string> {
  const titles = tilesWithoutVariable(tiles, variables).map(({ title }) => title);
  return {
    ...(!/^[1-9][0-9]{0,3}[mhd]$/.test(range.trim()) && { range: texts.rangeWhy }),
    ...(titles.length > 0 && { variables: texts.variablesUsed({ tiles: titles.join(', ') }) }),
  };
}
