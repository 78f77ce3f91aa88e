import { importLimits, parseConsent } from '../../../../../contract/subscriber-import.js';
import { type CsvRow, readCsv } from '../../../../../lib/csv/read-csv.js';

/** An address of a file; `confirmed` is `undefined` where the file does not say it. */
export type FileRow = { line: number; email: string; language: string; confirmed: boolean | undefined };

export type FileRows = { rows: readonly FileRow[]; saysConsent: boolean };

/** Why a file is not taken. */
export type FileFault = 'tooLarge' | 'tooMany' | 'noAddresses' | 'unreadable';

/** Names that people and programs give to these columns. */
const names = {
  email: [
    'email',
    'e-mail',
    'mail',
    'address',
    'email address',
    'e-mail address',
    'adresse',
    'e-mail-adresse',
  ],
  language: ['language', 'lang', 'locale', 'sprache'],
  confirmed: ['confirmed', 'consent', 'agreed', 'bestätigt', 'zustimmung', 'zugestimmt'],
} as const;

/** Reads the addresses of a file. Nothing of it leaves the browser here. */
export async function readFile(file: File): Promise<FileRows | FileFault> {
  if (file.size > importLimits.bytes) return 'tooLarge';
  const bytes = await file.arrayBuffer().catch(() => undefined);
  return bytes === undefined ? 'unreadable' : readRows(decode(bytes));
}

/** Spreadsheets in Europe write Windows-1252 where they do not write UTF-8. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function readRows(text: string): FileRows | FileFault {
  const lines = [...readCsv(text)];
  const [first, second = first] = lines;
  if (first === undefined || second === undefined) return 'noAddresses';
  const isHeader = !first.cells.some((cell) => cell.includes('@'));
  const columnOf = (name: keyof typeof names) =>
    isHeader ? first.cells.findIndex((cell) => isName(cell, names[name])) : -1;
  const named = columnOf('email');
  const email = named >= 0 ? named : second.cells.findIndex((cell) => cell.includes('@'));
  if (email < 0) return 'noAddresses';
  const columns = { email, language: columnOf('language'), confirmed: columnOf('confirmed') };
  const rows = (isHeader ? lines.slice(1) : lines).map((row) => toRow(row, columns));
  if (rows.length > importLimits.rows) return 'tooMany';
  return rows.length === 0 ? 'noAddresses' : { rows, saysConsent: columns.confirmed >= 0 };
}

function isName(cell: string, known: readonly string[]): boolean {
  return known.includes(cell.toLowerCase());
}

type Columns = Readonly<Record<keyof typeof names, number>>;

function toRow({ line, cells }: CsvRow, columns: Columns): FileRow {
  return {
    line,
    email: inOneLine(cells[columns.email]),
    language: inOneLine(cells[columns.language]),
    confirmed: parseConsent(cells[columns.confirmed] ?? ''),
  };
}

/** Each row is sent as one line, so that the line of a refusal names it. */
function inOneLine(cell = ''): string {
  return cell.replaceAll(/\s+/g, ' ');
}
