/** Stands where a secret stood. */
export const redacted = '[redacted]';

type Rule = readonly [
  pattern: RegExp,
  replacement: string | ((match: string, ...groups: [string, string, string, number, string]) => string),
];

/**
 * Names whose value is a secret, at the end of a longer name as well: `db_password`, `X-Api-Key`. `key` alone is none: it
 * names columns and entries of maps in most messages.
 */
const secretNames =
  'pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|authorization|cookie|session[_-]?id|sid|signature|sig|(?:api|access|private|secret|signing|encryption|account|auth)[_-]?key';

/**
 * The forms of secrets, each with a bound on every repetition or with characters that its neighbours do not take, so that
 * a text takes time in proportion to its length. Rules for whole values come before those for names in front of a value.
 */
const rules: readonly Rule[] = [
  // Private keys in PEM; one without its end goes to the end of the text.
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
    redacted,
  ],
  // Headers with cookies have several values.
  [/\b((?:set-)?cookie["']?\s{0,4}[:=]\s{0,4})[^\r\n]+/gi, `$1${redacted}`],
  // User and password in URLs and connection strings.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,300}@(?=[^\s])/gi, `$1${redacted}@`],
  // Credentials of HTTP: a word behind the scheme that is long, or has a digit.
  [
    /\b((?:bearer|basic|digest|apikey)\s{1,4})(?:(?=[\w+/.=~-]{0,200}\d)[\w+/.=~-]{8,}|[\w+/.=~-]{20,})/gi,
    `$1${redacted}`,
  ],
  // JSON Web Tokens, whole or cut.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g, redacted],
  // Keys by the prefixes of their issuers.
  [/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}/g, redacted],
  [
    /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|dop_v1_|shpat_|hvs\.|lin_api_|whsec_|key_[a-z]{1,20}_)[\w-]{12,}/g,
    redacted,
  ],
  [/\b(?:sk|pk|rk)[-_](?:live|test|ant|proj|or)[-_][\w-]{8,}/g, redacted],
  [/\bsk-[\w-]{20,}/g, redacted],
  [/\bxox[a-z]-[\w-]{8,}/g, redacted],
  [/\bAIza[\w-]{20,}/g, redacted],
  [/\bya29\.[\w.-]{8,}/g, redacted],
  [/\bSG\.[\w-]{8,}\.[\w-]{8,}/g, redacted],
  // A name and its value, as in queries, JSON, headers and settings.
  [
    new RegExp(
      `(${secretNames})((?:\\\\?["'])?\\s{0,4}(?:=>|[:=])\\s{0,4})(\\[redacted\\]|\\\\?"[^"\\r\\n]*"?|\\\\?'[^'\\r\\n]*'?|[^\\s"'&,;)}\\]]+)`,
      'gi',
    ),
    replaceValue,
  ],
  // Addresses of people. The last label has letters alone, so that `package@1.2.3` is none.
  [/[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\b(?![\w/-])/gi, '[email]'],
];

/** Names whose value is a secret even when it is a word. */
const alwaysSecret = /^(?:pass(?:word|wd|phrase)|pwd|authorization|cookie)$/i;
const plainWord = /^[\p{L}.]{1,15}$/u;

/**
 * Replaces a value behind its name, but no word of a sentence: `InvalidToken: text` begins with a class of errors, and
 * `Unexpected token: name` is the message of a parser. A secret has digits, is longer, or is a password.
 */
function replaceValue(
  match: string,
  name: string,
  separator: string,
  value: string,
  at: number,
  text: string,
): string {
  const isSentence = /^:\s/.test(separator) && plainWord.test(value);
  const isClass = /\b[A-Z]\w*$/.test(text.slice(Math.max(0, at - 60), at));
  return isSentence && (isClass || !alwaysSecret.test(name)) ? match : `${name}${separator}${redacted}`;
}

/**
 * Replaces what looks like a secret in a text that goes into a store: tokens of bearers, JSON Web Tokens, private keys, keys
 * with the prefix of a known issuer, user and password in a URL, values behind names such as `password=`, and email
 * addresses. Takes some 10 µs for a kilobyte. Idempotent.
 */
export function redact(text: string): string {
  let result = text;
  for (const [pattern, replacement] of rules) {
    result =
      typeof replacement === 'string'
        ? result.replace(pattern, replacement)
        : result.replace(pattern, replacement);
  }
  return result;
}

const secretName = new RegExp(`(?:${secretNames})$`, 'i');

/** Whether a value under this name is a secret, whatever it looks like. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
