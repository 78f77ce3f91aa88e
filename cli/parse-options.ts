import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './usage-error.js';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads the options and exactly the named positional arguments of a command.
 *
 * @throws UsageError for an unknown or repeated option, a missing value, a missing or surplus argument.
 */
export function parseOptions<const T extends Options, const Names extends readonly string[]>(
  argv: string[],
  options: T,
  names: Names,
) {
  const { values, positionals, tokens } = parse(argv, options);
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option' || options[token.name]?.multiple === true) continue;
    if (seen.has(token.name)) throw new UsageError(`--${token.name} is given twice.`);
    seen.add(token.name);
  }
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const surplus = positionals[names.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one argument too many.`);
  return { values, positionals };
}

function parse<const T extends Options>(argv: string[], options: T) {
  try {
    return parseArgs({ args: argv, options, strict: true, allowPositionals: true, tokens: true });
  } catch (error) {
    // parseArgs throws a TypeError with a sentence for each of its refusals.
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

/** @throws UsageError when the option was not given. */
export function required(value: string | undefined, option: string): string {
  if (value === undefined) throw new UsageError(`${option} is missing.`);
  return value;
}

/** @throws UsageError unless the value is one of the choices. */
export function oneOf<const T extends string>(value: string, choices: readonly T[], option: string): T {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw new UsageError(`${option} must be ${choices.join(', ')}, not "${value}".`);
  return choice;
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
