import { matchLanguage } from '../../lib/locale/language.js';

export type PickedText = { text: string; language: string };

/** The text in the language, else in the default language, else in any language, with the language that it has. */
export function pickText(
  texts: Readonly<Record<string, string>>,
  language: string,
  defaultLanguage: string,
): PickedText {
  const known = Object.keys(texts).filter((tag) => texts[tag] !== '');
  const picked =
    matchLanguage(language, known) ?? matchLanguage(defaultLanguage, known) ?? known[0] ?? language;
  return { text: texts[picked] ?? '', language: picked };
}
