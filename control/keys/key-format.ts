import { type Scope, scopePrefix, scopes } from '../../contract/scopes.js';
import { newSecret, secretDigits } from '../../lib/secrets.js';

const format = new RegExp(
  `^key_(?:${scopes.map((scope) => scopePrefix[scope]).join('|')})_[0-9A-Za-z]{${secretDigits}}$`,
);

/** A new random key: `key_<word of the scope>_`, then 32 random bytes as 43 base-62 digits. */
export function newKey(scope: Scope): string {
  return `key_${scopePrefix[scope]}_${newSecret()}`;
}

/** Whether a string has the form of a key. A string without it never reaches the database. */
export function isKey(text: string): boolean {
  return format.test(text);
}

/** The start of a key, by which people tell keys apart: its prefix and four of the 43 digits. */
export function displayPrefix(key: string): string {
  return key.slice(0, key.length - secretDigits + 4);
}
