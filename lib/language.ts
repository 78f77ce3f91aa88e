/** The tag in its canonical form (`EN-us` becomes `en-US`); undefined for what is no language tag. */
export function parseLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The one of these languages that a tag asks for: itself, or without its region or script; undefined for none. */
export function matchLanguage(tag: string, languages: readonly string[]): string | undefined {
  const known = new Map(languages.map((language) => [language.toLowerCase(), language]));
  // Anybody may send a tag of thousands of parts; of a longer one than there is only the beginning can match.
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

/** What a table has for the language, else its English. */
export function inLanguage<T>(table: Readonly<Record<string, T>> & { en: T }, tag: string): T {
  const language = matchLanguage(tag, Object.keys(table));
  return (language !== undefined ? table[language] : undefined) ?? table.en;
}
