import type { CommandContext } from './context.js';
import { formatHelp } from './help.js';
import { type Input, parseArguments } from './parse-arguments.js';

/** One option. Its name on the command line is its key in kebab case: `historyDays` is `--history-days`. */
export type Option = {
  /** Placeholder for the value in the help, such as SLUG. An option without one is a flag. */
  value?: string;
  help: string;
  /** Heading under which the help lists the option; options without one come first. */
  section?: string;
  required?: true;
  /** Whether the option may be repeated; the input then holds a list. */
  multiple?: true;
  default?: string;
  choices?: readonly string[];
  /** Converts the text of the value. @throws UsageError */
  parse?: (text: string, option: string) => unknown;
  /** Key of an option that cannot be used together with this one. */
  excludes?: string;
};

export type Options = Readonly<Record<string, Option>>;

/** Positional arguments in order: the key in the input, and the placeholder in the help. */
export type Arguments = Readonly<Record<string, string>>;

/** What a command prints: `json` with --json, `text` without. */
export type Output = {
  json: object;
  text: string;
  /** What remained undone: printed to standard error after the output, with exit code 1. */
  failure?: string | undefined;
};

/** What the help shows of a command; the parser works from the same description. */
export type Description = {
  /** The words after `heartline`, such as `page create`. */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** Paragraphs between the usage line and the options. */
  help?: string;
  arguments?: Arguments;
  /** Options that together take the place of the arguments. */
  argumentsUnless?: readonly string[];
  options?: Options;
  /** What --json prints, such as `{"keys": [...]}`; empty for an object that speaks for itself. */
  json?: string;
};

type Definition<A extends Arguments, U extends readonly string[], O extends Options> = Description & {
  arguments?: A;
  argumentsUnless?: U;
  options?: O;
} & (
    | { json: string; run(context: CommandContext, input: Input<A, U, O>): Promise<Output> }
    /** A command without `json` prints by itself, while it runs. */
    | { json?: never; run(context: CommandContext, input: Input<A, U, O>): Promise<void> }
  );

/** One command of the command line. */
export type Command = {
  name: string;
  summary: string;
  /** What `--help` prints. */
  help: string;
  /** Runs the command with the arguments behind its name. @throws whatever ends the process with an error. */
  run(context: CommandContext, argv: string[]): Promise<void>;
};

/**
 * Makes a command of its description: usage line, help, parsing and validation follow from it. `run` reaches the
 * installation only through the context, and returns what to print.
 */
export function defineCommand<
  const A extends Arguments = Record<never, string>,
  const U extends readonly string[] = readonly [],
  const O extends Options = Record<never, Option>,
>(definition: Definition<A, U, O>): Command {
  const { name, summary } = definition;
  return {
    ...{ name, summary, help: formatHelp(definition) },
    async run(context, argv) {
      const { input, json } = parseArguments<A, U, O>(definition, argv);
      const output = await definition.run(context, input);
      if (output === undefined) return;
      context.print(json ? `${JSON.stringify(output.json)}\n` : output.text);
      if (output.failure !== undefined) throw new Error(output.failure);
    },
  };
}
