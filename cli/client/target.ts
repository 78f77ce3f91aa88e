import { UsageError } from '../core/errors.js';

/** Options before the command, and the variables whose place they take. */
const variables = { '--url': 'HEARTLINE_URL', '--key': 'HEARTLINE_KEY' } as const;

type Given = Partial<Record<(typeof variables)[keyof typeof variables], string>>;

/**
 * Takes --url and --key off the beginning of a command line. Behind the name of a command they are options of that
 * command, such as the URL of a webhook.
 *
 * @throws UsageError for an option without its value, or given twice.
 */
export function takeTarget(argv: readonly string[]): { given: Given; rest: string[] } {
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
