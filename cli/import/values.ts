/** A row of a file, whose values are not checked. */
export type Row = Readonly<Record<string, unknown>>;

/** A text as it stands; numbers and booleans as their text; an empty text for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`;
  return typeof value === 'string' ? value : '';
}

/** A number, or the text of one; `undefined` for anything else. */
export function numberOf(value: unknown): number | undefined {
  const text = textOf(value).trim();
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** A boolean, as a number or text says it too; `undefined` for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  const text = textOf(value).trim().toLowerCase();
  if (/^(true|1|yes|on)$/.test(text)) return true;
  return /^(false|0|no|off)$/.test(text) ? false : undefined;
}

/** The members of an object, or of the JSON of one; none for anything else. */
export function rowOf(value: unknown): Row {
  const held = typeof value === 'string' ? parsed(value) : value;
  return typeof held === 'object' && held !== null && !Array.isArray(held) ? { ...held } : {};
}

/** The entries of a list, or of the JSON of one; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  const held = typeof value === 'string' ? parsed(value) : value;
  return Array.isArray(held) ? held : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
