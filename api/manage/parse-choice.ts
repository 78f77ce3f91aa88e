import { invalidValue } from '../../lib/query-parameters.js';

/** The value of a query parameter that is one of `choices`. @throws ServiceError `invalidParameter` */
export function parseChoice<Choice extends string>(
  name: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((known) => known === value);
  if (value !== undefined && choice === undefined) {
    throw invalidValue(name, `one of ${choices.join(', ')}`, value);
  }
  return choice;
}
