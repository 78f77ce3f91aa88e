#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { readConfig } from '../api/config.js';
import { commands, findCommand, helpOfAll } from './commands.js';
import { createContext } from './context.js';
import { explainError } from './explain-error.js';
import { UsageError } from './usage-error.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads our output, `head` for one, has had enough of it.
  if (error.code !== 'EPIPE') throw error;
});

// The exit code is set and the process left to end by itself, so that output into a pipe is not cut off.
process.exitCode = await main(process.argv.slice(2));

/** Runs one command line; answers the exit code: 0, 1 for an error, 2 for bad usage. */
async function main(argv: string[]): Promise<number> {
  try {
    const text = await informationFor(argv);
    if (text === undefined) await runCommand(argv);
    else process.stdout.write(text);
    return 0;
  } catch (error) {
    process.stderr.write(`heartline: ${explainError(error)}\n`);
    if (!(error instanceof UsageError)) return 1;
    process.stderr.write(`Try: heartline ${hintFor(argv)}--help\n`);
    return 2;
  }
}

/** The answer to --help and --version, which need neither configuration nor stores. */
async function informationFor(argv: string[]): Promise<string | undefined> {
  const [first] = argv;
  if (first === '--version') return `${await readVersion()}\n`;
  if (first === '--help' || first === '-h' || first === 'help') return helpOfAll();
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  if (!options.includes('--help') && !options.includes('-h')) return undefined;
  const isNoun = argv.length === 2 && commands.some((command) => command.name.startsWith(`${first} `));
  return isNoun ? helpOfAll(first) : findCommand(argv).command.help;
}

async function runCommand(argv: string[]): Promise<void> {
  const { command, rest } = findCommand(argv);
  const context = createContext(readConfig(process.env));
  try {
    await command.run(context, rest);
  } finally {
    await context.close();
  }
}

function hintFor(argv: string[]): string {
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => argv[index] === word));
  return command === undefined ? '' : `${command.name} `;
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
