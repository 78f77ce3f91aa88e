import type { CommandContext } from './context.js';

/** One command of the command line. */
export type Command = {
  /** The words after `heartline`, such as `page create`. */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What `--help` prints. */
  help: string;
  /** Runs it with the arguments behind its name; whatever it throws ends the process with an error. */
  run(context: CommandContext, argv: string[]): Promise<void>;
};
