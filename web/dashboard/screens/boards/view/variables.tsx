import { useEffect, useId, useState } from 'preact/hooks';
import type { BoardVariable } from '../../../../../contract/manage/boards.js';
import { useAddress } from '../../../address/use-address.js';
import { useTexts } from '../../../texts.js';
import { type Values, variableNames } from '../known.js';
import { boardsTexts } from '../texts.js';

/** A variable that readers may choose, with its value until they do. */
export type ChoosableVariable = { name: BoardVariable; initial: string | null };

/** Stands in the address for no value, where the board begins with one. */
const noValue = '*';

/** Returns the values of variables: those of the address, or the initial ones. */
export function valuesOf(
  variables: readonly ChoosableVariable[],
  query: Readonly<Record<string, string>>,
): Values {
  return Object.fromEntries(
    variables.flatMap(({ name, initial }): [string, string][] => {
      const given = query[name];
      if (given === noValue) return [[name, '']];
      const value = given ?? initial ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

/** The variables of a board in their order. */
export function variablesOf(
  variables: Readonly<Partial<Record<BoardVariable, { initial?: string | undefined }>>>,
): ChoosableVariable[] {
  return variableNames.flatMap((name) => {
    const variable = variables[name];
    return variable === undefined ? [] : [{ name, initial: variable.initial ?? null }];
  });
}

type VariablesProps = {
  variables: readonly ChoosableVariable[];
  values: Values;
  /** Names that exist, by variable. */
  suggestions?: Readonly<Partial<Record<BoardVariable, readonly string[]>>>;
};

/** Fields for the variables of a board, whose values the address keeps. */
export function Variables({ variables, values, suggestions = {} }: VariablesProps) {
  const { choose } = useAddress();
  if (variables.length === 0) return null;
  return (
    <div class="board-variables">
      {variables.map(({ name, initial }) => (
        <VariableField
          key={name}
          name={name}
          value={values[name] ?? ''}
          suggestions={suggestions[name] ?? []}
          onChoose={(value) =>
            choose({
              [name]: value === (initial ?? '') ? undefined : value === '' ? noValue : value,
              // An endpoint belongs to a service.
              ...(name === 'service' && { endpoint: undefined }),
            })
          }
        />
      ))}
    </div>
  );
}

type FieldProps = {
  name: BoardVariable;
  value: string;
  suggestions: readonly string[];
  onChoose(value: string): void;
};

/** A value is chosen when it is one of those that exist, and when the person leaves the field or presses Enter. */
function VariableField({ name, value, suggestions, onChoose }: FieldProps) {
  const texts = useTexts(boardsTexts);
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const choose = (text: string): void => {
    if (text.trim() !== value) onChoose(text.trim());
  };
  return (
    <div class="board-variable">
      <label for={id}>{texts.variables[name]}</label>
      <input
        {...{ id, value: typed, placeholder: texts.all }}
        type="text"
        list={`${id}-names`}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        dir="auto"
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          if (suggestions.includes(currentTarget.value)) choose(currentTarget.value);
        }}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <datalist id={`${id}-names`}>
        {suggestions.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  );
}
