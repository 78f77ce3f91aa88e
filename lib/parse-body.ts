import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { findJsonExcess, type JsonExcess, jsonLimits } from './json/json-shape.js';
import { describeSent } from './mistakes/describe-sent.js';
import { ServiceError } from './service-error.js';

/**
 * Parses the JSON of a request body.
 *
 * @throws ServiceError `bodyNotJson` when the bytes are not UTF-8 or not JSON, or nest too deep; `bodyTooLarge` when they
 *   hold too many values.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new ServiceError('bodyNotJson', { message: 'The request body is not valid UTF-8.' });
  const excess = findJsonExcess(bytes);
  if (excess !== undefined) throw excessErrors[excess]();
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    const breaks = position === undefined ? '' : `It breaks at character ${Number(position) + 1}. `;
    throw new ServiceError('bodyNotJson', {
      hint: bytes.length === 0 ? 'The body is empty; send a JSON value.' : `${breaks}${jsonHint}`,
    });
  }
}

const excessErrors: Record<JsonExcess, () => ServiceError> = {
  depth: () =>
    new ServiceError('bodyNotJson', {
      message: `The request body nests deeper than ${jsonLimits.depth} levels.`,
    }),
  marks: () =>
    new ServiceError('bodyTooLarge', {
      message: `The request body has more than ${jsonLimits.marks} brackets, colons and commas.`,
    }),
};

const jsonHint =
  'Send one JSON value with names and texts in double quotes and no comma behind the last one. A shell needs single quotes around it.';

type ValidationError = ReturnType<Validator<Record<never, never>, TSchema>['Errors']>[number];

/**
 * Describes the first error of a value in one sentence: the JSON pointer of its place, what is allowed there, and what
 * was sent in short.
 *
 * @param at JSON pointer of the value itself.
 */
export function describeFirstError(
  check: Validator<Record<never, never>, TSchema>,
  value: unknown,
  at = '',
): string {
  const errors = check.Errors(value);
  const [error] = errors;
  if (error === undefined) return 'The value is invalid.';
  const place = `${at}${error.instancePath}`;
  const sent = valueAt(value, error.instancePath);
  // A field beyond those of a closed object meets the schema `false`.
  if (error.keyword === 'boolean') return `There is no field ${place.slice(0, 100)} here.`;
  if (error.keyword === 'required') return describeMissing(error.params.requiredProperties, place);
  const isNullable = errors.some(
    (other) =>
      other.instancePath === error.instancePath && other.keyword === 'type' && other.params.type === 'null',
  );
  const allowed = `${describeAllowed(error)}${isNullable ? ' or null' : ''}`;
  return `${place === '' ? 'The body' : place} ${allowed}; it ${describeExcess(error, sent)}.`;
}

function describeMissing(names: readonly string[], place: string): string {
  const pointers = names.map((name) => `${place}/${name}`);
  const last = pointers.pop();
  return pointers.length === 0
    ? `${last} is missing; send it.`
    : `${pointers.join(', ')} and ${last} are missing; send them.`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function describeAllowed(error: ValidationError): string {
  switch (error.keyword) {
    case 'type':
      return `must be ${[error.params.type]
        .flat()
        .map((type) => kinds[type] ?? type)
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${error.params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'minLength':
    case 'maxLength':
      return `must have ${boundOf(error)} ${error.params.limit} ${error.params.limit === 1 ? 'character' : 'characters'}`;
    case 'minItems':
    case 'maxItems':
      return `must have ${boundOf(error)} ${error.params.limit} ${error.params.limit === 1 ? 'item' : 'items'}`;
    case 'minimum':
    case 'maximum':
      return `must be ${boundOf(error)} ${error.params.limit}`;
    case 'uniqueItems':
      return 'must have no item twice';
    case 'pattern':
      return `must match ${error.params.pattern}`;
    default:
      return error.message;
  }
}

function boundOf({ keyword }: ValidationError): string {
  return keyword.startsWith('min') ? 'at least' : 'at most';
}

/** Shows only the length of a text or array that is too long or too short, because its content is not at fault. */
function describeExcess({ keyword }: ValidationError, sent: unknown): string {
  if (keyword === 'maxLength' && typeof sent === 'string') return `has ${sent.length}`;
  if (/^(?:min|max)Items$/.test(keyword) && Array.isArray(sent)) return `has ${sent.length}`;
  return `was ${describeSent(sent)}`;
}

/** Returns the part of a value at a JSON pointer (RFC 6901). */
function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((held, part) => (held as Record<string, unknown> | undefined)?.[part], value);
}
