import { hash, randomBytes } from 'node:crypto';
import { type Scope, scopePrefix, scopes } from '../../contract/scopes.js';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);
/** 62 ** 43 is just above 2 ** 256, so 43 digits hold 32 bytes. */
const digits = 43;
const format = new RegExp(
  `^key_(?:${scopes.map((scope) => scopePrefix[scope]).join('|')})_[0-9A-Za-z]{${digits}}$`,
);

/** A new random key, `key_<word of the scope>_` and 32 random bytes written in base 62. */
export function newKey(scope: Scope): string {
  return `key_${scopePrefix[scope]}_${newSecret()}`;
}

/** 32 random bytes as 43 digits in base 62. */
export function newSecret(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let secret = '';
  for (let i = 0; i < digits; i += 1) {
    secret = alphabet.charAt(Number(rest % base)) + secret;
    rest /= base;
  }
  return secret;
}

/** Whether a string can be a key at all; what cannot be never reaches the database. */
export function isKey(text: string): boolean {
  return format.test(text);
}

/** What is stored and looked up: the SHA-256 of the whole key, as 64 hex digits. A key is random, so no salt. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The start of a key by which people tell keys apart: its prefix and four of the 43 digits. */
export function displayPrefix(key: string): string {
  return key.slice(0, key.length - digits + 4);
}
