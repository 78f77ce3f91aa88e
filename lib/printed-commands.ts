import { existsSync } from 'node:fs';

/**
 * How a shell calls the command on this machine: `npx` finds it in a checkout and in an installed package, and the image
 * has only the link in its path.
 */
export const commandName = existsSync(new URL('../../bin/heartline.js', import.meta.url))
  ? 'npx heartline'
  : 'heartline';

/** First words of the commands; the name alone may also name a database or a role. */
const firstWords =
  'alert alerts apply audit backup board channel checks connection demo deployment export figure-export import incident ' +
  'jobs key log monitor objective page policy postmortem report reporter restore rule schedule secrets serve silence sql ' +
  'store subscriber user webhook';

const written = new RegExp(
  `(?<![\\w/.-]|npx )heartline (?=(?:${firstWords.replaceAll(' ', '|')})\\b|--|COMMAND\\b)`,
  'g',
);

/** Returns a text in which commands that are written `heartline …` begin with the prefix, so that they can be pasted. */
export function withPrintedCommands(text: string, prefix: string = commandName): string {
  return text.replace(written, () => `${prefix} `);
}
