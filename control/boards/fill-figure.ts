import { takesRange } from '../../contract/manage/board-figures.js';
import { type BoardVariable, boardVariables, type Figure } from '../../contract/manage/boards.js';
import type { Board } from './board.js';

/** Values of variables, by their names. */
export type VariableValues = Readonly<Partial<Record<BoardVariable, string>>>;

/** Returns the values of the variables of a board: the chosen ones, or the initial ones. An empty choice is none. */
export function valuesOf({ variables }: Pick<Board, 'variables'>, chosen: VariableValues): VariableValues {
  const values = boardVariables.map((name) => {
    const variable = variables[name];
    return [name, variable === undefined ? undefined : (chosen[name] ?? variable.initial)] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== ''));
}

/**
 * Returns the parameters with which the figure of a tile is read. A variable stands for a whole value, so no value becomes
 * a part of another; a parameter whose variable has no value is left out.
 */
export function fillFigure(
  { path, parameters = {} }: Figure,
  { values, from, to }: { values: VariableValues; from: string; to: string },
): Record<string, string> {
  const filled = Object.entries(parameters).flatMap(([name, written]): [string, string][] => {
    const variable = boardVariables.find((one) => written === `{${one}}`);
    const value = variable === undefined ? written : values[variable];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(filled), ...(takesRange(path) && { from, to }) };
}
