/**
 * Returns one text for all JSON of the same meaning, after RFC 8785 (JCS): no white space, names of objects in the
 * order of their UTF-16 code units, numbers as ECMAScript writes them. `1.0`, `1e0` and `1` give the same text, and so
 * do `0` and `-0`. Fields that are undefined are left out.
 *
 * @throws TypeError for values that JSON cannot hold: NaN, an infinity, a function, undefined by itself.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`JSON cannot hold ${value}.`);
  const text: string | undefined = JSON.stringify(value); // Not a string for a function or undefined, despite its type.
  if (text === undefined) throw new TypeError(`JSON cannot hold ${typeof value}.`);
  return text;
}

function canonicalObject(value: object): string {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}
