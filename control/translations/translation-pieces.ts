/** What one request holds: LibreTranslate's own public server takes no more characters. */
const requestChars = 2_000;
const requestTexts = 25;

/** Items in their order, in groups that fit in one request each; an item that is too long is in a group of its own. */
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
  /** Spaces and line breaks around the text, which translators do not keep. */
  before: string;
  text: string;
  after: string;
};

/** A text in as few runs of whole lines as fit in one request each; a line that is too long stays whole. */
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
