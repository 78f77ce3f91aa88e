/** Emoji and what joins and colours them. */
const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|\u20E3/gu;
/** Latin, Greek and Cyrillic letters, and the marks between them: what the font of the pictures has. */
const known = /^[\u0020-\u024F\u02BC\u0370-\u03FF\u0400-\u052F\u1E00-\u1EFF\u2010-\u2026\u20AC]*$/u;

/** The text without emoji and in one line; empty when its letters are not in the font, as in Japanese. */
export function drawable(text: string): string {
  const plain = text.normalize('NFC').replace(emoji, '').replace(/\s+/gu, ' ').trim();
  return known.test(plain) ? plain : '';
}

/** Widths of the letters of a bold sans serif in parts of the font size, rounded up: a line seldom fills its room. */
const narrow = /[ijlftr.,:;'’!|()[\] ]/u;
const wide = /[mwMW@%—…æÆœŒ©]/u;
/** Letters of Greek and Cyrillic, and of Latin with many marks; the widest letters that are in use there are Ж and Њ. */
const isForeign = (letter: string): boolean => letter > '\u00FF';
function widthOf(letter: string): number {
  if (narrow.test(letter)) return 0.42;
  if (wide.test(letter)) return 1.08;
  const isLower = letter === letter.toLowerCase();
  if (isForeign(letter)) return isLower ? 0.9 : 1.13;
  return isLower ? 0.66 : 0.79;
}

const measure = (text: string): number => Array.from(text).reduce((sum, letter) => sum + widthOf(letter), 0);

/**
 * Breaks a text into lines, at the first of the sizes in which it takes no more than `linesMax`. In the last size, what
 * does not fit is cut off with an ellipsis. Sizes and widths are in pixels.
 */
export function fitLines(
  text: string,
  { widthPx, sizes, linesMax }: { widthPx: number; sizes: readonly number[]; linesMax: number },
): { size: number; lines: string[] } {
  const shown = drawable(text);
  let fitted = { size: 0, lines: [] as string[] };
  for (const size of sizes) {
    fitted = { size, lines: breakLines(shown, widthPx / size) };
    if (fitted.lines.length <= linesMax) return fitted;
  }
  const { size, lines } = fitted;
  const last = cutLine(lines[linesMax - 1] ?? '', widthPx / size);
  return { size, lines: [...lines.slice(0, linesMax - 1), last] };
}

/** Ends a line with an ellipsis, which takes the place of its last letters. */
function cutLine(line: string, widthMax: number): string {
  let cut = line;
  while (measure(`${cut}…`) > widthMax) cut = cut.slice(0, -1);
  return `${cut.trimEnd()}…`;
}

/** Breaks at spaces, and within a word that is longer than a line. */
function breakLines(text: string, widthMax: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => breakWord(one, widthMax))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measure(longer) <= widthMax) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function breakWord(word: string, widthMax: number): string[] {
  if (measure(word) <= widthMax) return [word];
  const parts = [''];
  for (const letter of word) {
    const part = parts.at(-1) ?? '';
    if (measure(part + letter) <= widthMax) parts[parts.length - 1] = part + letter;
    else parts.push(letter);
  }
  return parts;
}
