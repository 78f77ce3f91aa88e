import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { lineRuleOf } from '../contract/line.js';
import { findJsonExcess, type JsonExcess, jsonLimits } from './json.js';
import { describeSent } from './mistakes/describe-sent.js';
import { nearestNames } from './mistakes/nearest.js';
import { ServiceError } from './service-error.js';

/**
 * Parses the JSON of a request body.
 *
 * @throws ServiceError `bodyNotJson` when the bytes are not UTF-8 or not JSON, or nest too deep; `bodyTooLarge` when they
 *   hold too many values.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new ServiceError('bodyNotJson', {
      message: 'The request body is not valid UTF-8.',
      hint: hintOnBytes(bytes),
    });
  const excess = findJsonExcess(bytes);
  if (excess !== undefined) throw excessErrors[excess]();
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    const breaks = position === undefined ? '' : `It breaks at character ${Number(position) + 1}. `;
    throw new ServiceError('bodyNotJson', {
      hint: hintOnOtherForm(bytes) ?? `${breaks}${jsonHint}`,
    });
  }
}

/** Returns advice about bytes that are no UTF-8, by how they begin: gzip, zstd and UTF-16 with its mark. */
function hintOnBytes(bytes: Buffer): string {
  const start = bytes.subarray(0, 4).toString('hex');
  if (start.startsWith('1f8b')) return 'It is compressed with gzip; add the header "Content-Encoding: gzip".';
  if (start === '28b52ffd')
    return 'It is compressed with zstd; use gzip, br or deflate, and say which in Content-Encoding.';
  if (/^(?:fffe|feff)/.test(start)) return 'It is UTF-16; send the text as UTF-8.';
  return 'Send the text as UTF-8; for a compressed body, say in Content-Encoding how it is compressed.';
}

/** Returns advice about a text that has another form than JSON; `undefined` for one that is nearly JSON. */
function hintOnOtherForm(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8').trim();
  if (text === '') return 'The body is empty; send a JSON value.';
  if (text.startsWith('<')) return 'It looks like XML; send JSON.';
  if (/^--\S+\r?\ncontent-disposition:/i.test(text))
    return 'It is a form with parts; send JSON as the body alone.';
  if (/^[\w.%+-]+=/.test(text)) return 'It looks like a form; send JSON, such as {"name": "value"}.';
  const [first = '', second = ''] = text.split('\n', 2);
  if (isJson(first) && second.trim() !== '')
    return 'It has a JSON value on each line; put them between [ and ], with commas between them.';
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
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

/** Sentences of one message. Who has corrected five faults sends the body again. */
const faultsMax = 5;
// A wrong value of a field that may be null causes three errors, so the default of 8 hides faults.
Settings.Set({ maxErrors: 4 * faultsMax });

/**
 * Describes the faults of a value, at most five, one sentence each: the JSON pointer of its place, what is allowed there,
 * and what was sent in short. An unknown field comes with the name that it may stand for.
 *
 * @param at JSON pointer of the value itself.
 */
export function describeErrors(
  check: Validator<Record<never, never>, TSchema>,
  value: unknown,
  at = '',
): string {
  return sentenceOf(describeFaults(check, value, at));
}

/** Describes the errors of the body of a request in the same way, with the pointer of the field of the first fault. */
export function describeBody(
  check: Validator<Record<never, never>, TSchema>,
  value: unknown,
): { message: string; field: string | undefined } {
  const faults = describeFaults(check, value, '');
  return { message: sentenceOf(faults), field: [...faults.keys()][0] || undefined };
}

function sentenceOf(faults: ReadonlyMap<string, string>): string {
  const sentences = [...faults.values()];
  const shown = sentences.slice(0, faultsMax).join(' ');
  return sentences.length > faultsMax ? `${shown} There are more errors; correct these first.` : shown;
}

/** Returns the first fault of `describeErrors`, for a message about one place. */
export function describeFirstError(check: Validator<Record<never, never>, TSchema>, value: unknown): string {
  return [...describeFaults(check, value, '').values()][0] ?? 'The value is invalid.';
}

function describeFaults(
  check: Validator<Record<never, never>, TSchema>,
  value: unknown,
  at: string,
): ReadonlyMap<string, string> {
  const errors = check.Errors(value);
  const faults = new Map<string, string>();
  for (const error of errors) {
    const { instancePath: path, keyword } = error;
    // The error of a field or of an alternative says more than the error of the object around it.
    if (keyword === 'additionalProperties' || keyword === 'anyOf' || faults.has(path)) continue;
    // The alternative null of an object whose fields are at fault.
    const isNull = keyword === 'type' && error.params.type === 'null';
    if (isNull && [...faults.keys()].some((other) => other.startsWith(`${path}/`))) continue;
    faults.set(path, describeError(error, errors, value, at));
    for (const [field, meant] of nearFields(check.Type(), value, error))
      faults.set(field, `${describeUnknown(`${at}${field}`)} Did you mean ${at}${meant}?`);
  }
  return faults.size === 0 ? faults.set('', 'The value is invalid.') : faults;
}

function describeError(
  error: ValidationError,
  errors: readonly ValidationError[],
  value: unknown,
  at: string,
): string {
  const place = `${at}${error.instancePath}`;
  const sent = valueAt(value, error.instancePath);
  // An unknown field of a closed object meets the schema `false`.
  if (error.keyword === 'boolean') return describeUnknown(place);
  if (error.keyword === 'required') return describeMissing(error.params.requiredProperties, place);
  const isNullable = errors.some(
    (other) =>
      other.instancePath === error.instancePath && other.keyword === 'type' && other.params.type === 'null',
  );
  const allowed = `${describeAllowed(error)}${isNullable ? ' or null' : ''}`;
  return `${place === '' ? 'The body' : place} ${allowed}; it ${describeExcess(error, sent)}.`;
}

function describeUnknown(place: string): string {
  return `There is no field ${place.slice(0, 100)} here.`;
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
      return lineRuleOf(String(error.params.pattern)) ?? `must match ${error.params.pattern}`;
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

/**
 * Pairs unknown fields of an object with the field that each may stand for, as JSON pointers: the field of an error that
 * it is unknown, and all fields when a required one is missing, since an object that takes any field may hold it under
 * another name.
 */
function nearFields(
  schema: unknown,
  value: unknown,
  error: ValidationError,
): [field: string, meant: string][] {
  const { instancePath: path, schemaPath, keyword } = error;
  if (keyword !== 'boolean' && keyword !== 'required') return [];
  const parent = keyword === 'boolean' ? path.slice(0, path.lastIndexOf('/')) : path;
  const sent = Object(valueAt(value, parent));
  const owner = schemaPath.slice(1).replace(/\/additionalProperties$/, '');
  const known = Object.keys(Object(valueAt(schema, `${owner}/properties`)));
  const isMissing = (name: string) => !Object.hasOwn(sent, name);
  const meant = keyword === 'required' ? error.params.requiredProperties : known.filter(isMissing);
  const given = keyword === 'required' ? Object.keys(sent) : [unescaped(path.slice(parent.length + 1))];
  return given
    .filter((name) => !known.includes(name))
    .slice(0, faultsMax)
    .flatMap((name) =>
      nearestNames(name, meant, 1).map((near): [string, string] => [
        `${parent}/${escaped(name)}`,
        `${parent}/${escaped(near)}`,
      ]),
    );
}

/** Returns the part of a value at a JSON pointer (RFC 6901). */
function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map(unescaped)
    .reduce<unknown>((held, part) => (held as Record<string, unknown> | null | undefined)?.[part], value);
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
