import { looksLikeSecret } from '../alias.js';

/** Characters of a sender's text that a message repeats. */
const sentChars = 40;
/** A secret that begins behind so many characters is not shown anyway. */
const searchedChars = 400;

/**
 * Describes a value of a request in a few words for a message about it: a text in quotes, escaped and cut; a number,
 * `true`, `false` or null as it is; an array or object only as such. Never shows what may be a secret.
 *
 * @param noun what a text is, such as `endpoint`.
 */
export function describeSent(value: unknown, noun = 'text'): string {
  if (typeof value === 'string') return describeText(value, noun);
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'number' ? `the number ${value}` : String(value);
}

function describeText(text: string, noun: string): string {
  const isSecret = looksLikeSecret(text.slice(0, searchedChars));
  return isSecret
    ? `a ${noun} that is not repeated because it looks like a secret`
    : `the ${noun} ${quote(text)}`;
}

/** Returns a text in double quotes, cut after 40 characters, without characters that could act on a log or a terminal. */
function quote(text: string): string {
  const start = [...text.slice(0, 2 * sentChars + 2)];
  const shown = start.slice(0, sentChars).join('').toWellFormed();
  const escaped = JSON.stringify(shown).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
  return start.length > sentChars ? `${escaped.slice(0, -1)}…"` : escaped;
}
