import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from './context.js';
import type { Arguments, Description, Option, Options } from './description.js';
import { formatHelp } from './help.js';
import { formatJson } from './output.js';
import { type Input, parseArguments } from './parse-arguments.js';
import { optionName } from './usage.js';

/** The output of a command: `json` with --json, `text` without. */
export type Output = {
  json: object;
  text: string;
  /** The part that failed: printed to standard error after the output, with exit code 1. */
  failure?: string | undefined;
  /** 0 when absent. */
  exitCode?: 2;
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
  /** The text of `--help`. */
  help: string;
  createsStores: boolean;
  runsRemotely: boolean;
  /**
   * Runs the command with the arguments behind its name. Returns the exit code.
   *
   * @throws whatever ends the process with an error.
   */
  run(context: CommandContext, argv: string[]): Promise<number>;
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
  const { name, summary, createsStores = false, runsRemotely = false } = definition;
  return {
    ...{ name, summary, help: formatHelp(definition), createsStores, runsRemotely },
    async run(context, argv) {
      const { input, json } = parseArguments<A, U, O>(definition, argv);
      if (context.isRemote && !runsRemotely) throw notRemote(name);
      const output = await definition.run(context, input).catch((error: unknown) => {
        throw namingOptions(error, definition.options);
      });
      if (output === undefined) return 0;
      context.print(json ? formatJson(output.json) : output.text);
      if (output.failure !== undefined) throw new Error(output.failure);
      return output.exitCode ?? 0;
    },
  };
}

/** An error about a field of a body, such as `/historyDays must …`, names the option in its place. */
function namingOptions(error: unknown, options: Options = {}): unknown {
  if (!(error instanceof ServiceError) || error.field === undefined) return error;
  const { kind, field, hint } = error;
  const key = field.slice(1);
  if (!(key in options)) return error;
  return new ServiceError(kind, { message: error.message.replace(field, optionName(key)), hint });
}

function notRemote(name: string): Error {
  return new Error(
    `${name} works on the stores of an installation, and not over HTTP: run it on the server, without --url and HEARTLINE_URL.`,
  );
}
