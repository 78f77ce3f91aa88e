import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Arguments, Description, Option, Options } from './description.js';
import { UsageError } from './errors.js';

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

type ArgumentInput<A extends Arguments, U extends readonly string[]> = U extends readonly []
  ? { [K in keyof A]: string }
  : { [K in keyof A]?: string };

/** What `run` gets: the arguments and options by their keys. Options that were not given are missing. */
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

/** The option with a key as it is written on the command line. */
export function optionName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** Texts by option name; a flag that is given has an empty list. */
type Values = Partial<Record<string, string[]>>;

function parseTokens({ options = {}, json }: Description, argv: string[]) {
  const config: NonNullable<ParseArgsConfig['options']> =
    json === undefined ? {} : { json: { type: 'boolean' } };
  for (const [key, { value }] of Object.entries(options)) {
    config[optionName(key).slice(2)] = { type: value === undefined ? 'boolean' : 'string' };
  }
  const repeatable = new Set(
    Object.keys(options)
      .filter((key) => options[key]?.multiple)
      .map(optionName),
  );
  const values: Values = {};
  const positionals: string[] = [];
  for (const token of tokenize(argv, config)) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const name = `--${token.name}`;
    if (values[name] !== undefined && !repeatable.has(name)) throw new UsageError(`${name} is given twice.`);
    const texts = values[name] ?? [];
    values[name] = token.value === undefined ? texts : [...texts, token.value];
  }
  return { values, positionals };
}

function tokenize(argv: string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: argv, options, strict: true, allowPositionals: true, tokens: true }).tokens;
  } catch (error) {
    // parseArgs throws a TypeError with a sentence for each of its refusals.
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function parsePositionals(
  { arguments: named = {}, argumentsUnless = [] }: Description,
  values: Values,
  positionals: readonly string[],
): Record<string, string> {
  const isReplaced = argumentsUnless.some((key) => values[optionName(key)] !== undefined);
  const expected = isReplaced ? [] : Object.entries(named);
  const missing = expected[positionals.length]?.[1];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const surplus = positionals[expected.length];
  if (surplus !== undefined) throw new UsageError(`Unexpected argument "${surplus}".`);
  if (isReplaced) {
    for (const key of argumentsUnless) requireValue(values[optionName(key)], optionName(key));
  }
  return Object.fromEntries(expected.map(([key], index) => [key, positionals[index] ?? '']));
}

function parseOption(option: Option, name: string, texts: string[] | undefined): unknown {
  if (option.value === undefined) return texts !== undefined;
  if (option.required) requireValue(texts, name);
  const given = texts ?? (option.default === undefined ? undefined : [option.default]);
  const values = given?.map((text) => parseValue(option, name, text));
  return option.multiple ? values : values?.[0];
}

function parseValue({ choices, parse }: Option, name: string, text: string): unknown {
  if (choices !== undefined) return oneOf(text, choices, name);
  return parse === undefined ? text : parse(text, name);
}

function requireValue(value: unknown, option: string): void {
  if (value === undefined) throw new UsageError(`${option} is missing.`);
}

/** @throws UsageError unless the value is one of the choices. */
export function oneOf<const T extends string>(value: string, choices: readonly T[], option: string): T {
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  const last = choices.at(-1);
  const listed = choices.length > 1 ? `${choices.slice(0, -1).join(', ')} or ${last}` : last;
  throw new UsageError(`${option} must be ${listed}, not "${value}".`);
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
