import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportedTable, ExportFormat } from '../../contract/exported-tables.js';
import { ServiceError } from '../../lib/service-error.js';
import { cut, isKept, isSettled, lengthsOf, type Piece } from './pieces.js';

/** Reads the rows of a piece as a file of the format. */
export type ReadPiece = (table: ExportedTable, piece: Piece) => Promise<Buffer>;

export type WriteOptions = {
  /** Gets a folder for each table. */
  folder: string;
  tables: readonly ExportedTable[];
  from: number;
  to: number;
  now: number;
  format: ExportFormat;
  signal: AbortSignal;
  read: ReadPiece;
  /** Called before each piece, with the share of the work that is done, from 0 to 1. */
  onProgress(share: number, what: string): void;
};

export type Written = {
  /** Files that were written. */
  written: number;
  /** Files that were there already. */
  skipped: number;
  /** Size of the files that were written. */
  bytes: number;
};

type Work = WriteOptions & {
  table: ExportedTable;
  tableFolder: string;
  names: Set<string>;
  counts: Written;
};

/** Refusals of a query that reads or returns too much, which a shorter one may not meet. */
const tooMuch = ['sqlResultTooLarge', 'sqlTooExpensive'];

/**
 * Writes a file for each table and piece of time. Files that are there stay, so that the same call goes on where another one
 * was cut off: a file has its name only when it is whole.
 *
 * @throws ServiceError for the smallest piece that is too large for a query; the reason of `signal`
 */
export async function writePieces(options: WriteOptions): Promise<Written> {
  const counts = { written: 0, skipped: 0, bytes: 0 };
  for (const [at, table] of options.tables.entries()) {
    const tableFolder = join(options.folder, table);
    await mkdir(tableFolder, { recursive: true });
    const names = new Set(await readdir(tableFolder));
    const pieces = cut(options, lengthsOf(table)[0] ?? 0).filter(
      (piece) => isSettled(piece, options.now) && isKept(table, piece, options.now),
    );
    const work = { ...options, table, tableFolder, names, counts };
    for (const [place, piece] of pieces.entries()) {
      options.onProgress((at + place / pieces.length) / options.tables.length, `${table} ${piece.name}`);
      await writePiece(work, piece, lengthsOf(table).slice(1));
    }
  }
  return counts;
}

async function writePiece(work: Work, piece: Piece, shorter: readonly number[]): Promise<void> {
  const { table, format, names, counts, signal } = work;
  const file = `${piece.name}.${format}`;
  if (names.has(file)) {
    counts.skipped += 1;
    return;
  }
  signal.throwIfAborted();
  const [next, ...rest] = shorter;
  // It was cut before: with one file for all of it as well, the rows of its parts would be there twice.
  if (next !== undefined && hasParts(work, piece)) return writeParts(work, piece, [next, ...rest]);
  try {
    const body = await work.read(table, piece);
    await writeWhole(work.tableFolder, file, body);
    counts.written += 1;
    counts.bytes += body.length;
  } catch (error) {
    if (next === undefined || !(error instanceof ServiceError) || !tooMuch.includes(error.kind)) throw error;
    await writeParts(work, piece, [next, ...rest]);
  }
}

async function writeParts(
  work: Work,
  piece: Piece,
  [length = 0, ...shorter]: readonly number[],
): Promise<void> {
  for (const part of cut(piece, length)) await writePiece(work, part, shorter);
}

function hasParts({ names, format }: Work, { name }: Piece): boolean {
  return [...names].some((one) => one.startsWith(name) && one.endsWith(`.${format}`));
}

/** The name appears once the bytes are on the disk. */
async function writeWhole(folder: string, name: string, body: Buffer): Promise<void> {
  const temporary = join(folder, `.${name}.part`);
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(body);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(folder, name));
}
