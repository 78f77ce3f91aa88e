import type { TSchema } from 'typebox';
import { UsageError } from './core/errors.js';

/** An option for a field of a body. */
type FieldOption = {
  value: string;
  help: string;
  section: string;
  choices?: readonly string[];
  parse(text: string, option: string): string | number;
};

/** The part of a schema that says what an option may be. */
type Said = { type?: string; enum?: readonly string[]; description?: string };

/** Returns an option for each field of a body, with the words of its schema. */
export function fieldOptions<Fields extends Record<string, TSchema>>(
  fields: Fields,
  section: string,
): Record<keyof Fields & string, FieldOption> {
  const options = Object.entries(fields).map(([name, schema]) => [name, optionOf(schema, section)] as const);
  return Object.fromEntries(options) as Record<keyof Fields & string, FieldOption>; // It has the keys of the fields.
}

function optionOf(schema: Said, section: string): FieldOption {
  const { description = '' } = schema;
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  const [first = '', ...rest] = description.replace(/\.$/, '');
  return {
    value: isNumber ? 'N' : 'TEXT',
    help: [first.toLowerCase(), ...rest].join(''),
    section,
    ...(schema.enum !== undefined && { choices: schema.enum }),
    parse: isNumber ? parseNumber : (text) => text,
  };
}

/** @throws UsageError for another form */
function parseNumber(text: string, option: string): number {
  if (/^-?\d{1,12}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a number, not "${text}".`);
}

/** The fields of a body that were given by their options; `undefined` when none was. */
export function fieldsOf(
  options: Readonly<Record<string, FieldOption>>,
  input: object,
): Record<string, unknown> | undefined {
  const given = Object.entries(input).filter(([key, value]) => key in options && value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
