import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { ServiceError } from './service-error.js';

/**
 * Parses the JSON of a request body.
 *
 * @throws ServiceError `bodyNotJson` when the bytes are not UTF-8 or not JSON.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new ServiceError('bodyNotJson', { message: 'The request body is not valid UTF-8.' });
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ServiceError('bodyNotJson');
  }
}

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
