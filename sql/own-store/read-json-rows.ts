import type Type from 'typebox';
import type { Static } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { LoopShare } from './loop-share.js';

/** The form of the rows of a query. */
export type RowType<Row> = {
  check: Validator<Record<never, never>, Type.TObject>;
  columns: ReadonlySet<string>;
  /** Absent; it ties the type to the type of its rows. */
  row?: Row;
};

/** Compiles the schema of rows once, for a query that may go to a server of a tenant. */
export function rowType<Schema extends Type.TObject>(schema: Schema): RowType<Static<Schema>> {
  return { check: Compile(schema), columns: new Set(Object.keys(schema.properties)) };
}

/** Rows of another form than the query asks for. The message is the end of a sentence that begins with the server. */
export class RowError extends Error {
  override name = 'RowError';
}

type Bounds = { rowsMax: number; lineBytesMax: number; loopShare: LoopShare };

const newline = 0x0a;

/**
 * Reads rows in the format JSONEachRow: one object a line. A line is parsed when it is complete, so no more is held than
 * the rows and one line.
 *
 * @throws RowError for a line that is too long or is not such a row, and for a row too many; what `body` throws.
 */
export async function readJsonRows<Row>(
  body: AsyncIterable<Buffer>,
  type: RowType<Row>,
  bounds: Bounds,
): Promise<Row[]> {
  const rows: Row[] = [];
  let rest: Buffer[] = [];
  let restBytes = 0;

  function checkLine(bytes: number): void {
    if (bytes <= bounds.lineBytesMax) return;
    throw new RowError(`sends a line of more than ${bounds.lineBytesMax / 1024} KiB`);
  }

  function add(line: string): void {
    if (line === '') return;
    if (rows.length >= bounds.rowsMax) {
      throw new RowError(`sends more than the ${bounds.rowsMax} rows that the query asks for`);
    }
    rows.push(parseRow(line, type));
  }

  function endLine(piece: Buffer): void {
    checkLine(restBytes + piece.length);
    add(restBytes === 0 ? piece.toString('utf8') : Buffer.concat([...rest, piece]).toString('utf8'));
    rest = [];
    restBytes = 0;
  }

  function take(part: Buffer): void {
    let start = 0;
    for (let at = part.indexOf(newline); at !== -1; at = part.indexOf(newline, start)) {
      endLine(part.subarray(start, at));
      start = at + 1;
    }
    if (start === part.length) return;
    restBytes += part.length - start;
    checkLine(restBytes);
    // A copy, so that a short rest does not keep the whole piece.
    rest.push(Buffer.from(part.subarray(start)));
  }

  for await (const part of body) await bounds.loopShare.run(() => take(part));
  endLine(Buffer.alloc(0));
  return rows;
}

function parseRow<Row>(line: string, { check, columns }: RowType<Row>): Row {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    throw new RowError('sends a line that is not JSON');
  }
  if (check.Check(row)) return row as Row; // The check has the schema of `Row`.
  const [error] = check.Errors(row);
  const column = error?.instancePath.split('/')[1] ?? '';
  throw new RowError(
    columns.has(column)
      ? `sends a row whose "${column}" is not what the query selects`
      : 'sends a row without the columns that the query selects',
  );
}
