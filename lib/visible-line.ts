import { isLine } from '../contract/line.js';

/** Spaces, marks without a shape, and the letters of Unicode that show nothing: fillers of Hangul and an empty Braille cell. */
const invisible = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Marks that turn the direction of the text behind them, and their ends. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a name as one line of visible text, in which each mark that turns the direction of text ends with the name;
 * `undefined` for a text that shows nothing, or that has line breaks or control characters.
 */
export function parseVisibleLine(text: string): string | undefined {
  if (!isLine('markedLine', text) || text.replaceAll(invisible, '') === '') return undefined;
  return text + closing(text);
}

/**
 * Returns a title or description as it is stored: without space at its ends, in whole characters, with spaces for
 * separators of lines, and with the ends of the marks that turn text. The marks go when their ends do not fit.
 *
 * @param charsMax in UTF-16 code units. A text that is longer without marks stays so.
 */
export function toTitle(text: string, charsMax: number): string {
  const title = text
    .trim()
    .toWellFormed()
    .replaceAll(/[\u2028\u2029]+/g, ' ');
  const ended = title + closing(title);
  return ended.length <= charsMax ? ended : title.replaceAll(turns, '').trim();
}

/** Returns a text of elsewhere as one line: line breaks and control characters become spaces. It may be empty. */
export function toLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .trim();
}

/** Returns the ends of the marks that are open at the end of the text (https://www.unicode.org/reports/tr9/#X1). */
function closing(text: string): string {
  const open: string[] = [];
  for (const [mark] of text.matchAll(turns)) {
    if (mark === '\u202c' || mark === '\u2069') {
      if (open.at(-1) === mark) open.pop();
    } else open.push(mark >= '\u2066' ? '\u2069' : '\u202c');
  }
  return open.toReversed().join('');
}
