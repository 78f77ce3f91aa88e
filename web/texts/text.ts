import { matchLanguage } from '../../lib/locale/language.js';

/** Control characters except tabs and ends of lines, and two code points that are no characters. */
const notInXml = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

/**
 * A text without what XML 1.0 forbids in a document even when escaped: most control characters, and halves of surrogate
 * pairs. Removes control characters above 126 as well, which XML allows and no text needs.
 */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(notInXml, '');
}

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
