import { type CellValue, type Column, textOf } from './column.js';

/** The rows as CSV (RFC 4180) with the titles of the columns first. */
export function toCsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const written = columns.filter(({ isPicture }) => isPicture !== true);
  const lines = rows.map((row) => written.map((column) => toField(textOf(column, row))).join(','));
  return `${[written.map(({ title }) => toField(title)).join(','), ...lines].join('\r\n')}\r\n`;
}

function toField(value: CellValue): string {
  if (typeof value === 'number') return String(value);
  // Spreadsheets would run a text that begins like this as a formula.
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
