/** Programs for spreadsheets take a cell that begins so for a formula, and run it. */
const formula = /^[=+\-@\t\r\n]/;

/**
 * A row of CSV (RFC 4180) with its line end. null is an empty cell. A cell that a program for spreadsheets would run gets
 * an apostrophe in front, by which those programs know a text.
 */
export function csvRow(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => quote(cell ?? '')).join(',')}\r\n`;
}

function quote(cell: string): string {
  const safe = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
