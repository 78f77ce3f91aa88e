import { type ParseArgsConfig, parseArgs } from 'node:util';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import type { Arguments, Description, Option, Options } from './description.js';
import { UsageError } from './errors.js';
import {
  missingArgument,
  missingOptions,
  missingValue,
  surplusArgument,
  unexpectedValue,
  unknownOption,
} from './refusals.js';
import { optionName } from './usage.js';

type ValueOf<T extends Option> = T extends { parse: (...given: never[]) => infer Value }
  ? Value
  : T extends { choices: readonly (infer Choice)[] }
    ? Choice
    : T extends { value: string }
      ? string
      : boolean;

type Given<T extends Option> = T extends { multiple: true } ? ValueOf<T>[] : ValueOf<T>;

/** Keys of the options that always have a value: flags are false when they are not given. */
type PresentKeys<O extends Options> = {
  [K in keyof O]: O[K] extends { required: true } | { default: string }
    ? K
    : O[K] extends { value: string }
      ? never
      : K;
}[keyof O];

type OptionalKeys<A extends Arguments> = {
  [K in keyof A]: A[K] extends `[${string}` ? K : never;
}[keyof A];

/** An argument that an option of the same key replaces is given in one of the two forms. */
type ArgumentInput<A extends Arguments, U extends readonly string[]> = U extends readonly []
  ? { [K in Exclude<keyof A, OptionalKeys<A>>]: string } & { [K in OptionalKeys<A>]?: string }
  : { [K in Extract<keyof A, U[number]>]: string } & { [K in Exclude<keyof A, U[number]>]?: string };

/** The arguments and options of a command line by their keys. Options that were not given are missing. */
export type Input<A extends Arguments, U extends readonly string[], O extends Options> = ArgumentInput<
  A,
  U
> & {
  [K in PresentKeys<O>]: Given<O[K]>;
} & { [K in Exclude<keyof O, PresentKeys<O>>]?: Given<O[K]> };

/**
 * Parses the arguments behind the name of a command.
 *
 * @throws UsageError for an unknown or repeated option, a missing or wrong value, a missing or surplus argument.
 */
export function parseArguments<A extends Arguments, U extends readonly string[], O extends Options>(
  description: Description,
  argv: string[],
): { input: Input<A, U, O>; json: boolean } {
  const { options = {} } = description;
  const { values, positionals } = parseTokens(description, argv);
  const input: Record<string, unknown> = parsePositionals(description, values, positionals);
  for (const [key, option] of Object.entries(options)) {
    const value = parseOption(option, optionName(key), values[optionName(key)]);
    if (value !== undefined) input[key] = value;
  }
  for (const [key, { excludes }] of Object.entries(options)) {
    if (excludes === undefined || !isGiven(input[key]) || !isGiven(input[excludes])) continue;
    throw new UsageError(`${optionName(key)} and ${optionName(excludes)} cannot be used together.`);
  }
  // The description is the value of which A, U and O are the types.
  return { input: input as Input<A, U, O>, json: values['--json'] !== undefined };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** Texts by option name; a flag that is given has an empty list. */
type Values = Partial<Record<string, string[]>>;

function parseTokens(description: Description, argv: string[]) {
  const { options = {}, json } = description;
  const known = new Map<string, readonly [string, Option]>(
    Object.entries(options).map((entry) => [optionName(entry[0]), entry]),
  );
  if (json !== undefined) known.set('--json', ['json', { help: '' }]);
  const values: Values = {};
  const positionals: string[] = [];
  for (const token of tokenize(argv, known)) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { rawName: name, value, inlineValue = false } = token;
    const entry = known.get(name);
    if (entry === undefined) throw unknownOption(description, argv[token.index] ?? name);
    if (values[name] !== undefined && !entry[1].multiple) {
      throw new UsageError(`${name} is given twice; give it once.`);
    }
    values[name] = [...(values[name] ?? []), ...textsOf(entry, value, inlineValue)];
  }
  return { values, positionals };
}

/** Splits a command line. What is wrong with it is left to parseTokens, which has a sentence for it. */
function tokenize(argv: string[], known: ReadonlyMap<string, readonly [string, Option]>) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, [, { value }]] of known) {
    options[name.slice(2)] = { type: value === undefined ? 'boolean' : 'string' };
  }
  return parseArgs({ args: argv, options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/** The text of a value in a list; an empty list for a flag. */
function textsOf(entry: readonly [string, Option], text: string | undefined, isInline: boolean): string[] {
  const [key, { value }] = entry;
  if (value === undefined) {
    if (text !== undefined) throw unexpectedValue(optionName(key));
    return [];
  }
  // The next option is not the value of this one; "-" alone is standard input.
  const isOption = !isInline && text !== undefined && /^-./.test(text);
  if (text === undefined || isOption) throw missingValue(entry, text);
  return [text];
}

function parsePositionals(
  description: Description,
  values: Values,
  positionals: readonly string[],
): Record<string, string> {
  const { arguments: named = {}, argumentsUnless = [], options = {} } = description;
  const isReplaced = argumentsUnless.some((key) => values[optionName(key)] !== undefined);
  const expected = isReplaced ? [] : Object.entries(named);
  const missing = expected[positionals.length]?.[1];
  if (missing !== undefined && !missing.startsWith('[')) throw missingArgument(description, missing);
  const surplus = positionals[expected.length];
  if (surplus !== undefined) throw surplusArgument(description, surplus);
  const needed = Object.entries(options).filter(
    ([key, { required }]) => required || (isReplaced && argumentsUnless.includes(key)),
  );
  const absent = needed.filter(([key]) => values[optionName(key)] === undefined);
  if (absent.length > 0) throw missingOptions(absent);
  return Object.fromEntries(positionals.map((value, index) => [expected[index]?.[0] ?? '', value]));
}

function parseOption(option: Option, name: string, texts: string[] | undefined): unknown {
  if (option.value === undefined) return texts !== undefined;
  const given = texts ?? (option.default === undefined ? undefined : [option.default]);
  const values = given?.map((text) => parseValue(option, name, text));
  return option.multiple ? values : values?.[0];
}

function parseValue({ choices, parse }: Option, name: string, text: string): unknown {
  if (choices !== undefined) return oneOf(text, choices, name);
  return parse === undefined ? text : parse(text, name);
}

/** @throws UsageError unless the value is one of the choices. */
export function oneOf<const T extends string>(value: string, choices: readonly T[], option: string): T {
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  const [near] = nearestNames(value, choices, 1);
  const guess = near === undefined || choices.length < 4 ? '' : ` Did you mean ${near}?`;
  throw new UsageError(`${option} must be ${listOr(choices)}, not "${value}".${guess}`);
}

/** @throws UsageError unless the value is `on` or `off`. */
export function onOff(value: string, option: string): boolean {
  return oneOf(value, ['on', 'off'], option) === 'on';
}

/** @throws UsageError unless the value is written in decimal digits. */
export function wholeNumber(value: string, option: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${option} must be a whole number, not "${value}".`);
  return Number(value);
}

/** @throws UsageError unless the text is a time; the service's own error would name a field of the API. */
export function parseTimeOption(text: string, option: string): string {
  if (!Number.isNaN(parseTimestamp(text))) return text;
  throw new UsageError(`${option} must be a time such as 2026-01-31T23:00:00Z, not "${text}".`);
}
