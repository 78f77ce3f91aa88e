import type { Writable } from 'node:stream';
import type { Clock } from '../lib/clock.js';
import { commandName, withPrintedCommands } from '../lib/printed-commands.js';
import { commandPrefixOf } from '../service/addresses.js';
import { parseConfig, usualDataDir } from '../service/config.js';
import { settingOf } from '../service/settings/read-setting.js';
import { parseRemoteConfig } from '../service/settings/remote-config.js';
import { readVersion } from '../service/version.js';
import { findCommand, helpOfAll, loadCommands } from './commands.js';
import { createContext } from './core/context.js';
import { describeError, UsageError } from './core/errors.js';
import { printable } from './core/output.js';

export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Takes a result whose bytes are written unchanged; standard output of the process when absent. */
  stdout?: Writable;
  /** The clock of the system when absent. */
  clock?: Clock;
};

/** Runs one command line. Returns the exit code: 0, 1 for an error, 2 for bad usage and for a plan with changes. */
export async function run(line: string[], given: Terminal): Promise<number> {
  const { env, print, complain } = given;
  let prefix = commandName;
  const terminal: Terminal = {
    ...given,
    print: (text) => print(printable(text)),
    complain: (text) => complain(printable(withPrintedCommands(text, prefix))),
  };
  let argv = line;
  try {
    const { given: target, rest } = takeTarget(line);
    argv = rest;
    if (settingOf({ ...env, ...target }, 'HEARTLINE_URL') === undefined) prefix = prefixOf(env);
    const text = await informationFor(argv);
    if (text === undefined) return await runCommand(argv, { ...terminal, env: { ...env, ...target } });
    terminal.print(withPrintedCommands(text));
    return 0;
  } catch (error) {
    const { exitCode, message, hint } = describeError(error);
    terminal.complain(`heartline: ${message}\n`);
    if (hint !== undefined) terminal.complain(`${hint}\n`);
    if (exitCode === 2) terminal.complain(`Try: ${commandName} ${await hintFor(argv)}--help\n`);
    return exitCode;
  }
}

/** How a printed command begins that works on the same data folder. */
function prefixOf(env: Terminal['env']): string {
  return commandPrefixOf({ dataDir: settingOf(env, 'HEARTLINE_DATA_DIR') ?? usualDataDir });
}

/** Returns the text of --help and --version, which need no configuration and no store; `undefined` for a command to run. */
async function informationFor(argv: string[]): Promise<string | undefined> {
  const [first] = argv;
  if (first === '--version') return `${await readVersion()}\n`;
  if (first === '--help' || first === '-h' || first === 'help') return helpOfAll();
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  if (!options.includes('--help') && !options.includes('-h')) return undefined;
  const ofNoun = await loadCommands(first);
  const isNoun = argv.length === 2 && ofNoun.some(({ name }) => name.startsWith(`${first} `));
  return isNoun ? helpOfAll(first) : (await findCommand(argv)).command.help;
}

async function runCommand(
  argv: string[],
  { env, print, complain, stdout, clock }: Terminal,
): Promise<number> {
  const { command, rest } = await findCommand(argv);
  const remote = parseRemoteConfig(env);
  const context = createContext(parseConfig(env), {
    ...{ print, createsStores: command.createsStores, variable: (name: string) => env[name] },
    ...(remote !== undefined && { remote }),
    ...(stdout !== undefined && { stdout }),
    ...(clock !== undefined && { clock }),
    notify: (sentence) => complain(`${sentence}\n`),
  });
  try {
    return await command.run(context, rest);
  } finally {
    await context.close();
  }
}

/** The command that was meant, or its noun, whose help to read. */
async function hintFor(argv: string[]): Promise<string> {
  const [noun = ''] = argv;
  const commands = await loadCommands(noun);
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => argv[index] === word));
  if (command !== undefined) return `${command.name} `;
  return commands.some(({ name }) => name.startsWith(`${noun} `)) ? `${noun} ` : '';
}

/** Options before the command, and the variables whose place they take. */
const variables = { '--url': 'HEARTLINE_URL', '--key': 'HEARTLINE_KEY' } as const;

type Given = Partial<Record<(typeof variables)[keyof typeof variables], string>>;

/**
 * Takes --url and --key off the beginning of a command line. Behind the name of a command they are options of that
 * command, such as the URL of a webhook.
 *
 * @throws UsageError for an option without its value, or given twice.
 */
function takeTarget(argv: readonly string[]): { given: Given; rest: string[] } {
  const given: Given = {};
  let rest = [...argv];
  for (;;) {
    const [, name = '', inline] = /^(--url|--key)(?:=(.*))?$/s.exec(rest[0] ?? '') ?? [];
    if (name !== '--url' && name !== '--key') return { given, rest };
    const value = inline ?? rest[1];
    if (value === undefined || value === '') throw new UsageError(`${name} needs a value.`);
    if (given[variables[name]] !== undefined) throw new UsageError(`${name} is given twice; give it once.`);
    given[variables[name]] = value;
    rest = rest.slice(inline === undefined ? 2 : 1);
  }
}
