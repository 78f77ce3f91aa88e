/** A longer text is not compared: the work grows with its length, and nobody mistypes it by a letter. */
const charsMax = 64;
/** More names than anyone lists; further ones are left out. */
const namesMax = 10_000;

/**
 * Returns the known names that a mistyped one may stand for, nearest first, at most `max`: names that begin with it, and
 * names that differ by a third of its letters or less.
 */
export function nearestNames(given: string, known: Iterable<string>, max = 3): string[] {
  const text = given.toLowerCase();
  if (text === '' || text.length > charsMax) return [];
  const far = Math.max(1, Math.floor(text.length / 3));
  const found: { name: string; distance: number }[] = [];
  let seen = 0;
  for (const name of known) {
    seen += 1;
    if (seen > namesMax) break;
    const other = name.toLowerCase();
    // A word that is cut short is nearer than any mistyped one.
    const isStart = text.length > 1 && other.startsWith(text);
    const distance = isStart
      ? 0.5
      : Math.abs(other.length - text.length) > far
        ? far + 1
        : edits(text, other);
    if (distance <= far) found.push({ name, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ name }) => name);
}

/** Words as a choice: `a`, `a or b`, `a, b or c`. */
export function listOr(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}

/**
 * Counts the letters to insert, delete, replace or swap with their neighbour to make one text of the other. A swap counts
 * once, which `fastest-levenshtein` does not do.
 */
function edits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
