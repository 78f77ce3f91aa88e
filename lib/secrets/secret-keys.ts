/** Shorter keys could be guessed; `openssl rand -base64 32` makes 44 characters. */
const charsMin = 32;

/**
 * Returns the keys in the value of HEARTLINE_SECRET_KEY, which lists them with commas between them. The first one seals
 * and signs, and each opens and verifies.
 */
export function secretKeysOf(secretKey: string): [first: string, ...others: string[]] {
  const [first = '', ...others] = secretKey.split(',').map((key) => key.trim());
  return [first, ...others];
}

/**
 * Returns the mistake in a list of keys, as the rest of a sentence that begins with the place of the list; `undefined`
 * for a list that can be used. It names keys by their places and shows none.
 */
export function findSecretKeyMistake(secretKey: string): string | undefined {
  const keys = secretKeysOf(secretKey);
  const isList = keys.length > 1;
  for (const [index, key] of keys.entries()) {
    const nth = `key ${index + 1} of ${keys.length}`;
    if (key === '' && isList) {
      return `has an empty ${nth}; write keys with one comma between them, the one that encrypts first.`;
    }
    if (key.length < charsMin) {
      const which = isList
        ? ` in each key, and ${nth} has fewer: a comma separates keys. Create`
        : '; create';
      return `must have at least ${charsMin} characters${which} one with: openssl rand -base64 32`;
    }
    const before = keys.indexOf(key);
    if (before < index)
      return `has the same key in places ${before + 1} and ${index + 1}; remove one of them.`;
  }
  return undefined;
}
