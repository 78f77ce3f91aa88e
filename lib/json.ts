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

/** Bounds on JSON before it is parsed. */
export const jsonLimits = { depth: 100, marks: 200_000 } as const;

/** The bound that JSON exceeds: brackets in brackets, or the number of brackets, colons and commas. */
export type JsonExcess = 'depth' | 'marks';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];

const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Looks for JSON that takes long to parse for its size: 2 MB of brackets hold the process for 620 ms, 2 MB of ordinary
 * events for 20 ms, and this search for 4 ms. Works on malformed JSON as well, whose parsing takes as long.
 *
 * @param around levels around these bytes, when they are a part of a text.
 */
export function findJsonExcess(bytes: Uint8Array, around = 0): JsonExcess | undefined {
  let depth = around;
  let marks = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma || byte === colon) marks += 1;
    else if (byte === openBracket || byte === openBrace) {
      marks += 1;
      depth += 1;
      if (depth > jsonLimits.depth) return 'depth';
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
  }
  return marks > jsonLimits.marks ? 'marks' : undefined;
}
