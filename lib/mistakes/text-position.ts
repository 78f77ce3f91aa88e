/** A place in a text that a caller sent. Everything counts characters (Unicode code points). */
export type TextPosition = {
  /** Characters before it. */
  offset: number;
  /** From 1. */
  line: number;
  /** From 1, within the line. */
  column: number;
};

/** Returns the position of an index into a string. Lines end with a line feed. */
export function positionAt(text: string, index: number): TextPosition {
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf('\n') + 1;
  return {
    offset: countCharacters(before),
    line: before.split('\n').length,
    column: countCharacters(before.slice(lineStart)) + 1,
  };
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
