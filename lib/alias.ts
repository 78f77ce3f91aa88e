import { aliasChars } from '../contract/alias.js';
import { ServiceError } from './service-error.js';

const aliasForm = /^[\p{L}\p{M}\p{Nd} \-_.,:/#+()~|]*$/u;

/**
 * What an alias could leak, by its shape:
 * - an address with a scheme, as every connection string of MongoDB, PostgreSQL and MySQL has, and those of JDBC
 * - `user:password@host`, with or without a scheme; a line of .pgpass, `host:port:database:user:password`
 * - `password=…`, `pwd: …`, as in the connection strings of libpq, ODBC and ADO.NET
 * - the options of a command line with a user and a password
 * - PEM; a JSON Web Token (RFC 7519); an Authorization header
 * - the keys of this service, and of providers whose keys have a known beginning
 */
const secretForms: readonly RegExp[] = [
  /:\/\//,
  /\bjdbc:/i,
  /[^\s:@/]+:[^\s@]*@[^\s@]/,
  /\b(?:tcp|unix)\(/i, // Of the Go driver for MySQL.
  /(?:^|\s)[\w.*-]+:(?:\d{1,5}|\*):[^:\s]+:[^:\s]+:[^:\s]+(?:\s|$)/,
  /\b(?:\w*(?:password|passwd|passphrase|secret|credentials?|(?:api|access|account|private|shared|signing)[-_ ]?key)|(?:\w*_)?(?:pass|pwd|token))["']?\s*[:=]\s*\S/i,
  /\b(?:host|hostaddr|server|data source|user|user id|uid|dbname|sslmode)\s*=\s*\S/i,
  /(?:^|\s)--pass\w*\s+\S/i,
  /(?:^|\s)(?:-u\s?\S+|--user\S*).*\s(?:-p|--pass)/i,
  /-----BEGIN/i,
  /\beyJ[\w-]{5,}\.[\w-]+/,
  /\b(?:basic|bearer)\s+(?=[a-z+/=._~-]*\d)[\w+/=.~-]{8,}/i,
  /\bkey_(?:ingest|read|live)_|\bwhsec_|\bping_[0-9A-Za-z]{20,}/,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/i,
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|sk_live_|sk_test_|rk_live_|AIza|dop_v1_)[\w-]{16,}/,
  /\b(?:(?:npm|hf)_[0-9A-Za-z]{30,}|SG\.[\w-]{16,}\.[\w-]{16,})/,
];

/** As long as 128 bits in hexadecimal, or 192 bits in base64. */
const tokenChars = 32;
/** An ordinary name has fewer letters and digits that make no words: that of a Kubernetes pod ends with 15. */
const randomCharsMax = 15;
const uuidForm = /(?<!\w)[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?!\w)/gi;
const tokenRun = new RegExp(`[\\w+/=-]{${tokenChars},}`, 'g');
/**
 * `orders`, `Orders12`, `OrdersDb`, `DB2`, `2026`: the parts of names. Each character can be matched in one way only:
 * where there are many, the time to refuse a text doubles with each character that it is longer.
 */
const wordForm =
  /^(?:\d{1,15}|(?:[a-z]{2,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,})*\d{0,15}|(?:[a-z]|[A-Z]{1,15})\d{0,15})$/;

/**
 * Whether a text has the shape of something that opens a door: a connection string, a password with its name, a key,
 * or a token of 32 random characters. A UUID is not taken for one.
 */
export function looksLikeSecret(text: string): boolean {
  // Full-width and other variants of a letter or sign are that letter or sign to whoever copies them.
  const plain = text.normalize('NFKC');
  return secretForms.some((form) => form.test(plain)) || holdsToken(plain);
}

function holdsToken(text: string): boolean {
  for (const [run] of text.replaceAll(uuidForm, '').matchAll(tokenRun)) {
    const parts = run.split(/[-_+/=]/);
    const random = parts.filter((part) => !wordForm.test(part)).reduce((sum, part) => sum + part.length, 0);
    if (random > randomCharsMax) return true;
  }
  return false;
}

/** Whether a text can be an alias as it is, but for spaces at its ends. */
export function isSafeAlias(text: string): boolean {
  return problemOfAlias(text) === undefined;
}

/**
 * The alias without spaces at its ends, in Unicode's composed form.
 *
 * @param at JSON pointer of the field.
 * @throws ServiceError 400 that names the field and never what it holds.
 */
export function parseAlias(at: string, text: string): string {
  const problem = problemOfAlias(text);
  if (problem !== undefined) throw new ServiceError('invalidBody', { message: `${at} ${problem}` });
  return toAlias(text);
}

/** A Git commit, by SHA-1 or SHA-256. */
const commitForm = /(?<![\da-f])[\da-f]{40}(?:[\da-f]{24})?(?![\da-f])/g;

/** As parseAlias(), for the revision of a program: it may hold the id of a commit, which is no token. */
export function parseRevision(at: string, text: string): string {
  parseAlias(at, text.replaceAll(commitForm, 'commit'));
  return toAlias(text);
}

/** Why a text cannot be an alias, without the text: the end of a sentence that begins with the name of the field. */
export function problemOfAlias(text: string): string | undefined {
  const alias = toAlias(text);
  if (alias === '') return 'must not be blank.';
  if (alias.length > aliasChars) return `must have at most ${aliasChars} characters.`;
  if (looksLikeSecret(alias)) return 'looks like a secret; send a name that says nothing of how to connect.';
  if (!aliasForm.test(alias)) return 'must be letters, digits, spaces and - _ . , : / # + ( ) ~ | only.';
  return undefined;
}

function toAlias(text: string): string {
  return text.normalize('NFC').replaceAll(/^ +| +$/g, '');
}
