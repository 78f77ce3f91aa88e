import { useState } from 'preact/hooks';
import { useTexts } from '../../texts.js';
import { Dialog } from '../dialog.js';
import { kitTexts } from '../texts.js';
import { SendError } from './form.js';
import type { Conflict, Editor } from './use-editor.js';
import { isSame } from './use-form.js';

type ConflictProps<V extends object> = {
  editor: Editor<V>;
  /** The label of each field in the form. */
  labels: Readonly<Record<keyof V & string, string>>;
  /** A value as readable text; as it is stored by default. */
  textOf?(field: keyof V & string, value: V[keyof V & string]): string;
};

type Choice = 'mine' | 'theirs';

/** Both versions of what two people have changed; for each field that both changed, the person chooses one. */
export function ConflictDialog<V extends object>({ editor, labels, textOf }: ConflictProps<V>) {
  const texts = useTexts(kitTexts).conflict;
  const { cancel } = useTexts(kitTexts);
  const { conflict, settle, closeConflict } = editor;
  const [chosen, setChosen] = useState<Readonly<Record<string, Choice>>>({});
  if (conflict === undefined) return null;
  const rows = compare(conflict);
  const mine = rows.filter((row) => (chosen[row.field] ?? row.usual) === 'mine').map(({ field }) => field);
  const say = (field: keyof V & string, version: V) =>
    textOf?.(field, version[field]) ?? plainText(version[field]);
  return (
    <Dialog title={texts.title} onClose={closeConflict} isWide>
      <p>{texts.why}</p>
      <div class="conflict-rows">
        {rows.map(({ field, usual }) => (
          <fieldset key={field}>
            <legend>{labels[field]}</legend>
            {(['mine', 'theirs'] as const).map((choice) => (
              <label key={choice} class="conflict-version">
                <span>
                  <input
                    type="radio"
                    name={`conflict-${field}`}
                    checked={(chosen[field] ?? usual) === choice}
                    onChange={() => setChosen({ ...chosen, [field]: choice })}
                  />
                  {texts[choice]}
                </span>
                <span class="conflict-text" dir="auto">
                  {say(field, conflict[choice]) || texts.nothing}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
      {settle.error !== undefined && settle.error.status !== 412 && <SendError error={settle.error} />}
      <div class="form-actions end">
        <button type="button" class="button small" onClick={closeConflict}>
          {cancel}
        </button>
        <button
          type="button"
          class="button"
          aria-disabled={settle.isSending}
          onClick={() => settle.run(mine)}
        >
          {mine.length === 0 ? texts.takeTheirs : texts.save}
        </button>
      </div>
    </Dialog>
  );
}

/** The fields in which the versions differ. The change of one person alone is the usual choice. */
function compare<V extends object>({ base, mine, theirs }: Conflict<V>) {
  const fields = Object.keys(mine) as (keyof V & string)[]; // The names of its fields.
  return fields
    .filter((field) => !isSame(mine[field], theirs[field]))
    .map((field) => ({
      field,
      usual: isSame(mine[field], base[field]) ? ('theirs' as const) : ('mine' as const),
    }));
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
