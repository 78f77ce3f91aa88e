import type { Description, Option } from './description.js';

/** With more optional options than this the usage line says [options]. */
const usageOptionsMax = 3;

/** The option with a key as it is written on the command line. */
export function optionName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An option with what to write behind it, such as `--scope incident|ingest|read`. */
export function usagePart([key, option]: readonly [string, Option]): string {
  const value = option.choices?.join('|') ?? option.value;
  return value === undefined ? optionName(key) : `${optionName(key)} ${value}`;
}

/** The form of a command in one line, such as `heartline page show SLUG [--json]`. */
export function usageOf({
  name,
  arguments: named = {},
  argumentsUnless = [],
  options = {},
  json,
}: Description): string {
  const entries = Object.entries(options);
  const instead = entries.filter(([key]) => argumentsUnless.includes(key));
  const required = entries.filter(([, option]) => option.required);
  const optional = entries
    .filter(([key, option]) => !option.required && !argumentsUnless.includes(key))
    .map((entry) => `[${usagePart(entry)}]`);
  if (json !== undefined) optional.push('[--json]');
  const positionals = Object.values(named).join(' ');
  const parts = [
    instead.length > 0 ? `${positionals}|${instead.map(usagePart).join(' ')}` : positionals,
    ...required.map(usagePart),
    ...(optional.length > usageOptionsMax ? ['[options]'] : optional),
  ];
  return ['heartline', name, ...parts.filter(Boolean)].join(' ');
}
