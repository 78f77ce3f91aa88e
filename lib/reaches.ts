/**
 * Whether one name leads to another, over any number of others; a name leads to itself.
 *
 * @param ahead the names that each one leads to at once.
 */
export function reaches(
  ahead: ReadonlyMap<string, readonly string[]>,
  from: string,
  wanted: string,
): boolean {
  const seen = new Set<string>();
  const left = [from];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === wanted) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    left.push(...(ahead.get(name) ?? []));
  }
  return false;
}
