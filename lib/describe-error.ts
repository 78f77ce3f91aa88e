import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';

/** Describes the first error of a value in one sentence that begins with the JSON pointer of its place. */
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
