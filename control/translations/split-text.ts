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

type Piece = {
  /** White space around the text, which translators do not keep. */
  before: string;
  text: string;
  after: string;
};

/**
 * Splits a text into blocks of code, which are not translated, and between them into as few runs of whole lines as fit in
 * one request each. A line that is too long stays whole.
 */
export function splitText(text: string): Piece[] {
  return splitCode(text).flatMap(({ part, isCode }) =>
    isCode ? [{ before: part, text: '', after: '' }] : splitRuns(part),
  );
}

/** A block of code in Markdown: from a line of at least three backticks or tildes to the next one, or to the end. */
const codeBlock = /^ {0,3}(`{3,}|~{3,}).*(?:\n(?! {0,3}\1).*)*(?:\n {0,3}\1.*)?\n?/gm;

function splitCode(text: string): { part: string; isCode: boolean }[] {
  const parts: { part: string; isCode: boolean }[] = [];
  let end = 0;
  for (const { 0: code, index } of text.matchAll(codeBlock)) {
    parts.push({ part: text.slice(end, index), isCode: false }, { part: code, isCode: true });
    end = index + code.length;
  }
  return [...parts, { part: text.slice(end), isCode: false }].filter(({ part }) => part !== '');
}

function splitRuns(text: string): Piece[] {
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
