import { isLine } from '../contract/line.js';

/** Spaces, marks without a shape, and the letters of Unicode that show nothing: fillers of Hangul and an empty Braille cell. */
const invisible = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Returns a name as one line of visible text, in which each mark that turns the direction of text ends with the name;
 * `undefined` for a text that shows nothing, or that has line breaks or control characters.
 */
export function parseVisibleLine(text: string): string | undefined {
  if (!isLine('markedLine', text) || text.replaceAll(invisible, '') === '') return undefined;
  return text + closing(text);
}

/** A text of elsewhere as one line: line breaks and control characters become spaces. It may be empty. */
export function toLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .trim();
}

/** The ends of the marks that are open at the end of the text (https://www.unicode.org/reports/tr9/#X1). */
function closing(text: string): string {
  const open: string[] = [];
  for (const [mark] of text.matchAll(/[\u202a-\u202e\u2066-\u2069]/g)) {
    if (mark === '\u202c' || mark === '\u2069') {
      if (open.at(-1) === mark) open.pop();
    } else open.push(mark >= '\u2066' ? '\u2069' : '\u202c');
  }
  return open.toReversed().join('');
}
