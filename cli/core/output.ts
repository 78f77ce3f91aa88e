/**
 * Returns the text with a space for each control character but line breaks and tabs. Names, titles and errors come from
 * tenants and their servers, and an escape sequence in them would rewrite the terminal of the operator.
 */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, ' ');
}

/** Returns a value as a line of JSON, with every control character escaped: JSON itself allows those above U+007E. */
export function formatJson(value: object): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value).replaceAll(/\p{Cc}/gu, escaped)}\n`;
}

/** Rows under their headings, in columns as wide as their longest cell; `whenEmpty` when there are no rows. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  whenEmpty?: string,
): string {
  if (rows.length === 0 && whenEmpty !== undefined) return `${whenEmpty}\n`;
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = [headings, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** `name  value` lines with the values in one column. */
export function formatFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}

/** Bytes in a readable unit, such as 41.8 MB. */
export function formatBytes(bytes: number): string {
  const unit = [...byteUnits].reverse().find(({ size }) => bytes >= size);
  return unit === undefined ? `${bytes} bytes` : `${(bytes / unit.size).toFixed(1)} ${unit.name}`;
}

const byteUnits = [
  { name: 'kB', size: 1e3 },
  { name: 'MB', size: 1e6 },
  { name: 'GB', size: 1e9 },
] as const;

/** An ISO-8601 time; null stays null. */
export function isoTime(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
