/** Returns the tag in its canonical form (`EN-us` becomes `en-US`); `undefined` when it is not a language tag. */
export function parseLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/**
 * Returns the one of `languages` that a tag asks for: the tag itself, or the tag without its region or script. Returns
 * `undefined` when none matches.
 */
export function matchLanguage(tag: string, languages: readonly string[]): string | undefined {
  const known = new Map(languages.map((language) => [language.toLowerCase(), language]));
  // Anybody may send a tag of thousands of parts. When it is longer than every language, only its beginning can match.
  const longest = Math.max(0, ...languages.map(({ length }) => length));
  const whole = tag.toLowerCase();
  let rest = whole.length > longest ? withoutLastPart(whole.slice(0, longest + 1)) : whole;
  for (; rest !== ''; rest = withoutLastPart(rest)) {
    const language = known.get(rest);
    if (language !== undefined) return language;
  }
  return undefined;
}

const withoutLastPart = (tag: string): string => tag.slice(0, Math.max(tag.lastIndexOf('-'), 0));

/** Returns the entry of a table for a language, or its English entry. */
export function inLanguage<T>(table: Readonly<Record<string, T>> & { en: T }, tag: string): T {
  const language = matchLanguage(tag, Object.keys(table));
  return (language !== undefined ? table[language] : undefined) ?? table.en;
}
