import { aliasChars } from '../contract/alias.js';
import { ServiceError } from './service-error.js';

const aliasForm = /^[\p{L}\p{M}\p{Nd} \-_.,:/#+()~|]*$/u;

/**
 * Shapes of secrets that an alias could leak:
 * - an address with a scheme, as every connection string of MongoDB, PostgreSQL, MySQL and JDBC has
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
  /\b(?:tcp|unix)\(/i, // The addresses of the Go driver for MySQL.
  /(?:^|\s)[\w.*-]+:(?:\d{1,5}|\*):[^:\s]+:[^:\s]+:[^:\s]+(?:\s|$)/,
  /\b(?:\w*(?:password|passwd|passphrase|secret|credentials?|(?:api|access|account|private|shared|signing)[-_ ]?key)|(?:\w*_)?(?:pass|pwd|token))["']?\s*[:=]\s*\S/i,
  /\b(?:host|hostaddr|server|data source|user|user id|uid|dbname|sslmode)\s*=\s*\S/i,
  /(?:^|\s)--pass\w*\s+\S/i,
  /(?:^|\s)(?:-u\s?\S+|--user\S*).*\s(?:-p|--pass)/i,
  /-----BEGIN/i,
  /\beyJ[\w-]{5,}\.[\w-]+/,
  /\b(?:basic|bearer)\s+(?=[a-z+/=._~-]*\d)[\w+/=.~-]{8,}/i,
  /\bkey_(?:ingest|read|live)_|\bwhsec_|\b(?:ping|cal)_[0-9A-Za-z]{20,}/,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/i,
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|sk_live_|sk_test_|rk_live_|AIza|dop_v1_)[\w-]{16,}/,
  /\b(?:(?:npm|hf)_[0-9A-Za-z]{30,}|SG\.[\w-]{16,}\.[\w-]{16,})/,
];

/** The length of 128 bits in hexadecimal, or of 192 bits in base64. */
const tokenChars = 32;
/** Most letters and digits of an ordinary name that are not words: the name of a Kubernetes pod ends with 15. */
const randomCharsMax = 15;
const uuidForm = /(?<!\w)[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?!\w)/gi;
const tokenRun = new RegExp(`[\\w+/=-]{${tokenChars},}`, 'g');
/**
 * The parts of names: `orders`, `Orders12`, `OrdersDb`, `DB2`, `2026`. Each character matches in one way only: with
 * several ways, each further character would double the time to refuse a text.
 */
const wordForm =
  /^(?:\d{1,15}|(?:[a-z]{2,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,})*\d{0,15}|(?:[a-z]|[A-Z]{1,15})\d{0,15})$/;

/**
 * Whether a text has the shape of a secret: a connection string, a password with its name, a key, or a token of 32
 * random characters. A UUID is not a secret.
 */
export function looksLikeSecret(text: string): boolean {
  // A person who copies a full-width variant of a letter or sign gets the letter or sign.
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

/** Whether a text can be an alias once the spaces at its ends are cut. */
export function isSafeAlias(text: string): boolean {
  return problemOfAlias(text) === undefined;
}

/**
 * Returns the alias without the spaces at its ends, in Unicode's composed form.
 *
 * @param at JSON pointer of the field.
 * @throws ServiceError `invalidBody` that names the field and never its text.
 */
export function parseAlias(at: string, text: string): string {
  const problem = problemOfAlias(text);
  if (problem !== undefined) throw new ServiceError('invalidBody', { message: `${at} ${problem}` });
  return normalizeAlias(text);
}

/** A Git commit, by SHA-1 or SHA-256. */
const commitForm = /(?<![\da-f])[\da-f]{40}(?:[\da-f]{24})?(?![\da-f])/g;

/** Parses the revision of a program as parseAlias() does; it may hold the id of a commit. */
export function parseRevision(at: string, text: string): string {
  parseAlias(at, text.replaceAll(commitForm, 'commit'));
  return normalizeAlias(text);
}

/**
 * Returns why a text cannot be an alias, without the text, as the end of a sentence that begins with the name of the
 * field; `undefined` when it can be one.
 */
export function problemOfAlias(text: string): string | undefined {
  const alias = normalizeAlias(text);
  if (alias === '') return 'must not be blank.';
  if (alias.length > aliasChars) return `must have at most ${aliasChars} characters.`;
  if (looksLikeSecret(alias)) return 'looks like a secret; send a name that says nothing of how to connect.';
  if (!aliasForm.test(alias)) return 'must be letters, digits, spaces and - _ . , : / # + ( ) ~ | only.';
  return undefined;
}

/** Returns the form in which an alias is stored. */
export function normalizeAlias(text: string): string {
  return text.normalize('NFC').replaceAll(/^ +| +$/g, '');
}
