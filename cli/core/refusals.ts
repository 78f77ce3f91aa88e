import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import type { Description, Option } from './description.js';
import { UsageError } from './errors.js';
import { optionName, usageOf, usagePart } from './usage.js';

/** The error for an option that a command does not have. `written` is what stands on the command line. */
export function unknownOption(description: Description, written: string): UsageError {
  const { name, arguments: named = {}, options = {}, json } = description;
  const [option = ''] = written.split('=', 1);
  const problem = `${option} is not an option of ${name}`;
  const placeholder = Object.entries(named).find(([key]) => optionName(key) === option)?.[1];
  if (placeholder !== undefined) {
    return new UsageError(`${problem}; write ${placeholder} without it: ${usageOf(description)}`);
  }
  const known = [...Object.keys(options).map(optionName), ...(json === undefined ? [] : ['--json'])];
  const near = nearestNames(`--${option.replace(/^-+/, '')}`, known);
  return new UsageError(near.length > 0 ? `${problem}; did you mean ${listOr(near)}?` : `${problem}.`);
}

/** The error for an option without its value; `next` is what follows it on the command line. */
export function missingValue(entry: readonly [string, Option], next: string | undefined): UsageError {
  const name = optionName(entry[0]);
  const how = next === undefined ? '' : `; if "${next}" is its value, write ${name}=${next}`;
  return new UsageError(`${name} needs a value: ${usagePart(entry)}${how}`);
}

export function unexpectedValue(name: string): UsageError {
  return new UsageError(`${name} takes no value; write ${name} alone, or leave it out.`);
}

/** The error for options that a command needs. */
export function missingOptions(entries: readonly (readonly [string, Option])[]): UsageError {
  const parts = entries.map(usagePart);
  const listed = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0];
  return new UsageError(`${listed} ${parts.length > 1 ? 'are' : 'is'} missing.`);
}

/** The error for a command that changes settings and is given none. */
export function nothingToChange(example: string): UsageError {
  return new UsageError(`There is nothing to change; name what to change, such as ${example}.`);
}

export function missingArgument(description: Description, placeholder: string): UsageError {
  return new UsageError(`${placeholder} is missing; write: ${usageOf(description)}`);
}

export function surplusArgument(description: Description, argument: string): UsageError {
  return new UsageError(
    `Unexpected argument "${argument}". Put a value with spaces into quotes; write: ${usageOf(description)}`,
  );
}
