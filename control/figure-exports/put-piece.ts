import { type ErrorKind, errorRegistry } from '../../contract/errors.js';
import type { ExportFormat, HourlyTable } from '../../contract/exported-tables.js';
import { figureExportLimits } from '../../contract/manage/figure-export.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { Egress } from '../../lib/outbound/egress.js';
import { ServiceError } from '../../lib/service-error.js';
import { withTimeout } from '../../lib/timeout.js';
import { hourMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type FigureExport, isStillRunning } from './figure-export.js';
import { BucketError, putObject } from './put-object.js';

/** The rows of a table from a time to before another one, in milliseconds since the epoch. */
export type ExportPiece = { table: HourlyTable; format: ExportFormat; from: number; to: number };

export type PieceDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  egress: Egress;
  /** Ends whatever is on its way. */
  signal: AbortSignal;
  /** Time for the rows of an hour, in milliseconds: `figureExportLimits.readSeconds` when absent. */
  readMsMax?: number;
  /** Reads a piece of a page as a file of the format. @throws ServiceError with a sentence for those who run the page */
  readPiece(pageId: PageId, piece: ExportPiece, signal: AbortSignal): Promise<Buffer>;
};

/** Why an hour of a table cannot be exported, in a sentence for those who run the page. Other tables may have theirs. */
export class TableError extends Error {
  override name = 'TableError';
}

/** The rows of an hour could not be read for now, which is no fault of the page or its bucket. */
export class NotYetError extends Error {
  override name = 'NotYetError';

  constructor(
    message: string,
    /** Whether no other table can be read either. */
    readonly isOfStore: boolean,
  ) {
    super(message);
  }
}

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

/**
 * Puts the hour of a table into the bucket of a page. Returns whether it did: it does not when the settings have changed since they
 * were read, or the page is gone or has lost its figures.
 *
 * @throws TableError, NotYetError, BucketError; the reason of `signal`
 */
export async function putPiece(
  deps: PieceDeps,
  target: FigureExport & { secret: string },
  table: HourlyTable,
  from: number,
): Promise<boolean> {
  const hour = `${table} of ${new Date(from).toISOString().slice(0, 13)}:00Z`;
  const body = await read(deps, target, { table, format: target.format, from, to: from + hourMs }, hour);
  if (!(await isStillRunning(deps.sql, target))) return false;
  const object = { name: objectName(table, from, target.format), mediaType: mediaTypes[target.format], body };
  await putObject(deps, target, object).catch((error: unknown) => {
    throw error instanceof BucketError ? new BucketError(`${hour}: ${error.message}`) : error;
  });
  return true;
}

async function read(
  { readPiece, readMsMax = figureExportLimits.readSeconds * secondMs, signal }: PieceDeps,
  { pageId }: FigureExport,
  piece: ExportPiece,
  hour: string,
): Promise<Buffer> {
  const tooSlow = () => new NotYetError(`${hour} was not read in time.`, false);
  try {
    return await withTimeout((ending) => readPiece(pageId, piece, ending), readMsMax, {
      error: tooSlow,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    throw isPassing(error) ? new NotYetError(error.message, true) : toTableError(error, hour);
  }
}

/** Whether the refusal is temporary: a store is unavailable, or the page runs its maximum of queries. */
function isPassing({ kind }: ServiceError): boolean {
  const { status } = errorRegistry[kind];
  return status === 429 || status === 503;
}

/** Their own sentences are for people who wrote the query. */
const tooMuch: readonly ErrorKind[] = ['sqlResultTooLarge', 'sqlTooExpensive'];

function toTableError({ kind, message }: ServiceError, hour: string): TableError {
  if (!tooMuch.includes(kind)) return new TableError(`${hour}: ${message}`);
  return new TableError(`${hour} has more rows than one object may have; leave the table out.`);
}

/** The name of an object, such as `requests_hour/2027/01/31/23.parquet`. */
function objectName(table: HourlyTable, from: number, format: ExportFormat): string {
  const [day = '', hour = ''] = new Date(from).toISOString().slice(0, 13).split('T');
  return `${table}/${day.replaceAll('-', '/')}/${hour}.${format}`;
}
