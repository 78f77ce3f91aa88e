/** The tag in its canonical form (`EN-us` becomes `en-US`); undefined for what is no language tag. */
export function readLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The one of these languages that a tag asks for: itself, or without its region or script; undefined for none. */
export function matchLanguage(tag: string, languages: readonly string[]): string | undefined {
  const known = new Map(languages.map((language) => [language.toLowerCase(), language]));
  for (let rest = tag.toLowerCase(); rest !== ''; rest = rest.slice(0, Math.max(rest.lastIndexOf('-'), 0))) {
    const language = known.get(rest);
    if (language !== undefined) return language;
  }
  return undefined;
}

/** What a table has for the language, else its English. */
export function inLanguage<T>(table: Readonly<Record<string, T>> & { en: T }, tag: string): T {
  const language = matchLanguage(tag, Object.keys(table));
  return (language !== undefined ? table[language] : undefined) ?? table.en;
}
