import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';

/** One sentence on the first thing that is wrong with a value, with the JSON pointer of its place. */
export function describeFirstError(
  check: Validator<Record<never, never>, TSchema>,
  value: unknown,
  at = '',
): string {
  const [error] = check.Errors(value);
  return error === undefined
    ? 'The value is invalid.'
    : `${at}${error.instancePath || (at === '' ? '/' : '')} ${error.message}.`;
}
