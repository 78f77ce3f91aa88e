type Value = string | number | readonly (string | number | null)[];

/** Values to bind to the parameters of a query, by their names. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Writes parameters for the URL as ClickHouse reads them: as in the format TSV, with the texts of an array in quotes. */
export function writeParameters(parameters: Parameters): Record<string, string> {
  const entries = Object.entries(parameters) as [string, Value][]; // Our queries have no other values.
  return Object.fromEntries(entries.map(([name, value]) => [`param_${name}`, write(value)]));
}

function write(value: Value): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escapeText(value);
  return `[${value.map((item) => (typeof item === 'string' ? `'${escapeText(item)}'` : String(item))).join(',')}]`;
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function escapeText(text: string): string {
  return text.replace(/[\\'\t\n\r]/g, (character) => escapes[character] ?? character);
}
