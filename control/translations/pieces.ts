/** Most that one request holds: the public server of LibreTranslate accepts no more characters. */
const requestChars = 2_000;
const requestTexts = 25;

/**
 * Splits items, in their order, into groups that fit in one request each. An item that is too long has a group of its
 * own.
 */
export function packTexts<T>(items: readonly T[], textOf: (item: T) => string): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  let chars = 0;
  for (const item of items) {
    const { length } = textOf(item);
    if (group.length === requestTexts || chars + length > requestChars) {
      groups.push(group);
      group = [];
      chars = 0;
    }
    group.push(item);
    chars += length;
  }
  return [...groups, group].filter(({ length }) => length > 0);
}

export type Piece = {
  /** White space around the text, which translators do not keep. */
  before: string;
  text: string;
  after: string;
};

/** Splits a text into as few runs of whole lines as fit in one request each. A line that is too long stays whole. */
export function splitText(text: string): Piece[] {
  const lines = text.split(/(?<=\n)/);
  return packLines(lines).map((run) => {
    const trimmed = run.trim();
    const before = trimmed === '' ? run : run.slice(0, run.length - run.trimStart().length);
    return { before, text: trimmed, after: run.slice(before.length + trimmed.length) };
  });
}

function packLines(lines: readonly string[]): string[] {
  const runs: string[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && last.length + line.length <= requestChars) runs.splice(-1, 1, last + line);
    else runs.push(line);
  }
  return runs;
}
