import { readWeight } from './negotiate-encoding.js';
import type { PublicPage } from './public-cache.js';

/** What comes behind this much of a header is not read: no reader speaks so many languages. */
const headerCharsMax = 1_000;

/**
 * The language of a page for an Accept-Language header: of those that it offers the one that is wanted most, the
 * first of several that are wanted alike. A range finds a language as in the lookup of RFC 4647, section 3.4
 * (`de-AT` finds `de`), and where there is none of these another variety of the same language (`pt` and `pt-PT` find
 * `pt-BR`). The default language when nothing matches.
 */
export function negotiateLanguage(
  header: string | undefined,
  page: Pick<PublicPage, 'languages' | 'defaultLanguage'>,
): string {
  if (header === undefined || page.languages.size === 1) return page.defaultLanguage;
  let best: string | undefined;
  let bestWeight = 0;
  for (const element of header.slice(0, headerCharsMax).split(',')) {
    const [range = '', ...parameters] = element.toLowerCase().split(';');
    const weight = readWeight(parameters.map((parameter) => parameter.trim()));
    const language = weight > bestWeight ? matchRange(range.trim(), page) : undefined;
    if (language === undefined) continue;
    if (weight === 1) return language; // As browsers send it: what is wanted most stands first.
    [best, bestWeight] = [language, weight];
  }
  return best ?? page.defaultLanguage;
}

function matchRange(
  range: string,
  { languages, defaultLanguage }: Pick<PublicPage, 'languages' | 'defaultLanguage'>,
): string | undefined {
  if (range === '*') return defaultLanguage;
  let rest = range;
  for (;;) {
    const language = languages.get(rest);
    if (language !== undefined) return language;
    const end = rest.lastIndexOf('-');
    if (end < 1) break;
    rest = rest.slice(0, end);
  }
  if (rest === '') return undefined;
  for (const [tag, language] of languages) if (tag.startsWith(`${rest}-`)) return language;
  return undefined;
}
