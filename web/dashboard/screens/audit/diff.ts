/** Part of a text or a list that stayed, was added or was removed. */
export type Piece = { kind: 'same' | 'added' | 'removed'; text: string };

/** A field that differs: `pieces` for long texts and lists, both values for all others. `null` stands for nothing. */
export type FieldDiff = { field: string } & (
  | { kind: 'value'; before: string | null; after: string | null }
  | { kind: 'list' | 'lines'; pieces: readonly Piece[] }
);

type Fields = Readonly<Record<string, unknown>> | null;

/** A text of at least so many characters, or of several lines, is compared line by line. */
const longTextChars = 120;
/** Comparing takes time and room with the square of the lines. */
const linesMax = 400;

/** Returns what differs between the recorded fields before and after a change, in the order in which they stand. */
export function diffFields(before: Fields, after: Fields): FieldDiff[] {
  const [old, now] = [flatten(before), flatten(after)];
  const fields = new Set([...old.keys(), ...now.keys()]);
  return [...fields].flatMap((field) => {
    const [from, to] = [old.get(field) ?? null, now.get(field) ?? null];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [diffValue(field, from, to)];
  });
}

function diffValue(field: string, before: unknown, after: unknown): FieldDiff {
  if (isList(before) && isList(after) && (Array.isArray(before) || Array.isArray(after))) {
    return { field, kind: 'list', pieces: diffItems(textsOf(before), textsOf(after), 'set') };
  }
  if (isText(before) && isText(after) && (isLong(before) || isLong(after))) {
    return { field, kind: 'lines', pieces: diffItems(linesOf(before), linesOf(after), 'lines') };
  }
  return { field, kind: 'value', before: textOf(before), after: textOf(after) };
}

/** Records within records become fields such as `texts.de.title`. */
function flatten(fields: unknown, prefix = ''): Map<string, unknown> {
  const found = new Map<string, unknown>();
  if (typeof fields !== 'object' || fields === null) return found;
  for (const [name, value] of Object.entries(fields)) {
    const field = prefix + name;
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isRecord) for (const [inner, one] of flatten(value, `${field}.`)) found.set(inner, one);
    else found.set(field, value);
  }
  return found;
}

function isList(value: unknown): value is readonly unknown[] | null {
  return value === null || Array.isArray(value);
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isLong(text: string | null): boolean {
  return text !== null && (text.length >= longTextChars || text.includes('\n'));
}

function linesOf(text: string | null): string[] {
  return text === null ? [] : text.split(/\r?\n/);
}

function textsOf(list: readonly unknown[] | null): string[] {
  return (list ?? []).map((item) => textOf(item) ?? '');
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Lines keep their order; of a list, what is in both stays wherever it stands, unless only the order has changed. */
function diffItems(before: string[], after: string[], kind: 'set' | 'lines'): Piece[] {
  if (kind === 'lines') return diffLines(before, after);
  const [old, now] = [new Set(before), new Set(after)];
  if (before.every((item) => now.has(item)) && after.every((item) => old.has(item))) {
    return diffLines(before, after);
  }
  return [
    ...before.filter((item) => !now.has(item)).map((text) => ({ kind: 'removed' as const, text })),
    ...after.map((text) => ({ kind: old.has(text) ? ('same' as const) : ('added' as const), text })),
  ];
}

/** The longest common lines stay; all others are removed or added. */
function diffLines(before: string[], after: string[]): Piece[] {
  if (before.length > linesMax || after.length > linesMax) {
    return [
      ...before.map((text) => ({ kind: 'removed' as const, text })),
      ...after.map((text) => ({ kind: 'added' as const, text })),
    ];
  }
  const common = commonLengths(before, after);
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, now] = [before[i], after[j]];
    if (old !== undefined && old === now) {
      pieces.push({ kind: 'same', text: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ kind: 'removed', text: old });
      i += 1;
    } else {
      pieces.push({ kind: 'added', text: now ?? '' });
      j += 1;
    }
  }
  return pieces;
}

/** How many lines the ends from each pair of places have in common. */
function commonLengths(before: string[], after: string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [row, below] = [lengths[i], lengths[i + 1]];
      if (row === undefined || below === undefined) continue;
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
