import { useEffect, useRef } from 'preact/hooks';
import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';

/** Which rows are chosen, by their keys, for something that is done with all of them. */
export type RowChoice<Row> = {
  keys: ReadonlySet<string>;
  onChange(keys: ReadonlySet<string>): void;
  /** Returns the name of a row for screen readers. */
  nameOf(row: Row): string;
};

type HeadProps = { choice: Pick<RowChoice<never>, 'keys' | 'onChange'>; shown: readonly string[] };

/** Chooses every row that the filter leaves, or none of them. */
export function ChoiceHead({ choice: { keys, onChange }, shown }: HeadProps) {
  const { chooseAll } = useTexts(kitTexts);
  const ref = useRef<HTMLInputElement>(null);
  const chosen = shown.filter((key) => keys.has(key)).length;
  const isAll = chosen > 0 && chosen === shown.length;
  useEffect(() => {
    if (ref.current !== null) ref.current.indeterminate = chosen > 0 && !isAll;
  }, [chosen, isAll]);
  return (
    <th scope="col" class="choice-cell">
      <label>
        <span class="visually-hidden">{chooseAll}</span>
        <input
          ref={ref}
          type="checkbox"
          checked={isAll}
          onChange={() => onChange(withKeys(keys, shown, !isAll))}
        />
      </label>
    </th>
  );
}

type CellProps<Row> = { choice: RowChoice<Row>; row: Row; rowKey: string };

export function ChoiceCell<Row>({ choice: { keys, onChange, nameOf }, row, rowKey }: CellProps<Row>) {
  const { choose } = useTexts(kitTexts);
  return (
    <td class="choice-cell">
      <label>
        <span class="visually-hidden">{choose({ name: nameOf(row) })}</span>
        <input
          type="checkbox"
          checked={keys.has(rowKey)}
          onChange={({ currentTarget }) => onChange(withKeys(keys, [rowKey], currentTarget.checked))}
        />
      </label>
    </td>
  );
}

function withKeys(keys: ReadonlySet<string>, changed: readonly string[], isChosen: boolean): Set<string> {
  const next = new Set(keys);
  for (const key of changed) {
    if (isChosen) next.add(key);
    else next.delete(key);
  }
  return next;
}
