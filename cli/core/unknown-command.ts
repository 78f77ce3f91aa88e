import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { UsageError } from './errors.js';

/** Verbs that mean the same; a noun has one of each group. */
const synonyms = [
  ['create', 'add', 'new', 'make', 'open', 'set'],
  ['delete', 'remove', 'rm', 'drop', 'destroy', 'revoke', 'off', 'disable', 'reset'],
  ['list', 'ls', 'all'],
  ['show', 'get', 'info', 'describe', 'view', 'list'],
  ['set', 'edit', 'change', 'update', 'modify', 'configure'],
  ['resolve', 'close', 'end', 'finish'],
  ['serve', 'start', 'up', 'server'],
] as const;

/** The error for a command line that begins with none of the names. */
export function unknownCommand(argv: readonly string[], names: readonly string[]): UsageError {
  const [first, second] = argv;
  if (first === undefined) return new UsageError('A command is missing, such as page list.');
  if (first.startsWith('-')) {
    return new UsageError(`The command comes before its options: heartline COMMAND ${first} …`);
  }
  const verbs = names.filter((name) => name.startsWith(`${first} `));
  if (verbs.length > 0) return unknownVerb(first, second, verbs);
  const swapped = `${second} ${first}`;
  const near = names.includes(swapped) ? [swapped] : nearestCommands(first, second, names);
  return new UsageError(
    `"${first}" is not a command${near.length > 0 ? `; did you mean ${listOr(near)}?` : '.'}`,
  );
}

function unknownVerb(noun: string, given: string | undefined, names: readonly string[]): UsageError {
  const all = `the commands are ${names.join(', ')}.`;
  if (given === undefined || given.startsWith('-')) return new UsageError(`"${noun}" needs a verb; ${all}`);
  const near = verbsFor(noun, given, names);
  const problem = `"${noun} ${given}" is not a command`;
  return new UsageError(near.length > 0 ? `${problem}; did you mean ${listOr(near)}?` : `${problem}; ${all}`);
}

/** Commands of the noun whose verb the given one is close to, in letters or in meaning. */
function verbsFor(noun: string, given: string, names: readonly string[]): string[] {
  const own = names.filter((name) => name.startsWith(`${noun} `)).map((name) => name.slice(noun.length + 1));
  const same = synonyms.filter((group) => group.some((verb) => verb === given)).flat();
  const meant = own.filter((verb) => same.some((one) => one === verb));
  const verbs = meant.length > 0 ? meant.slice(0, 2) : nearestNames(given, own);
  return verbs.map((verb) => `${noun} ${verb}`);
}

/** Commands for a mistyped first word: of the nearest noun with the verb that follows it, or a command of one word. */
function nearestCommands(first: string, second: string | undefined, names: readonly string[]): string[] {
  const words = new Set(names.map((name) => name.split(' ', 1)[0] ?? ''));
  const alias = synonyms.find((group) => group.some((verb) => verb === first))?.[0];
  const [near] = alias !== undefined && words.has(alias) ? [alias] : nearestNames(first, words, 1);
  if (near === undefined || names.includes(near)) return near === undefined ? [] : [near];
  const exact = `${near} ${second}`;
  if (names.includes(exact)) return [exact];
  const guessed = second === undefined ? [] : verbsFor(near, second, names);
  return guessed.length > 0 ? guessed : names.filter((name) => name.startsWith(`${near} `));
}
