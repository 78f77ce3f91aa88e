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

/**
 * Positional arguments in order: the key in the input, and the placeholder in the help. One that may be left out is last,
 * and has a placeholder in brackets, such as `[DIR]`.
 */
export type Arguments = Readonly<Record<string, string>>;

/** The description of a command, from which its help and its parser are made. */
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
  /** Whether the command may create the embedded stores; every other one refuses a folder without them. */
  createsStores?: true;
  /** Whether the command also runs on an installation elsewhere; every other one works on the stores alone. */
  runsRemotely?: true;
  /** The form of the output with --json, such as `{"keys": [...]}`; empty for an object that speaks for itself. */
  json?: string;
};
