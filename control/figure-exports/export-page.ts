import { type HourlyTable, type TableSource, tableSources } from '../../contract/exported-tables.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { type FigureExport, openFigureExport, sealedElsewhere } from './figure-export.js';
import { type NextPiece, nextPiece, type TableProgress } from './next-piece.js';
import { BucketError } from './put-object.js';
import { NotYetError, type PieceDeps, putPiece, TableError } from './put-piece.js';
import { moveTable, recordFailure, recordPuts, recordTurn } from './record-progress.js';

/**
 * When the oldest data of each kind was acknowledged that its store lacks, in milliseconds since the epoch; `undefined` for a kind
 * that its store has whole, and for one that is not waited for.
 */
export type OldestWaiting = Partial<Record<TableSource, number | undefined>>;

export type ExportDeps = PieceDeps & {
  secretKey: string;
  /** Looks up what a page waits for. */
  loadOldestWaiting(pageId: PageId): Promise<OldestWaiting>;
};

type Run = {
  /** When the run began. */
  now: number;
  /** Whether another hour may begin. */
  mayBegin(): boolean;
};

/** The work of a run on one page. */
type Turn = {
  deps: ExportDeps;
  run: Run;
  waiting: OldestWaiting;
  target: FigureExport & { secret: string };
  puts: number;
  /** Why a table has not moved on, for those who run the page. */
  problem: string | undefined;
  /** Whether every table that was due has been put once. */
  isWhole: boolean;
};

/**
 * Puts the hours of a page that are due, one of each table in turn, so that a table that is slow, too large or has much to make up
 * for stops no other one. However it ends, pages that it kept waiting come first in the next run.
 *
 * @throws Error when a store of the service fails
 */
export async function exportPage(deps: ExportDeps, run: Run, pageId: PageId): Promise<void> {
  const opened = await openFigureExport(deps, pageId);
  if (opened === undefined) return;
  const { found, secret } = opened;
  if (secret === undefined) return recordFailure(deps, found, sealedElsewhere);
  await recordTurn(deps, found, run.now);
  const target = { ...found, secret };
  const waiting = await deps.loadOldestWaiting(pageId);
  const turn: Turn = { deps, run, waiting, target, puts: 0, problem: undefined, isWhole: true };
  let left: readonly TableProgress[] = inTurn(found.progress, run.now);
  while (left.length > 0) left = await putRound(turn, left);
  if (turn.puts > 0) await recordPuts(deps, found, turn.isWhole && turn.problem === undefined);
  if (turn.problem !== undefined) await recordFailure(deps, found, turn.problem);
}

/** Another table is the first one each minute: a run that is cut off is not cut off at the same one again. */
function inTurn(progress: readonly TableProgress[], now: number): TableProgress[] {
  const first = Math.floor(now / minuteMs) % progress.length;
  return [...progress.slice(first), ...progress.slice(0, first)];
}

/** Puts an hour of each table, and returns the tables that may have more. */
async function putRound(turn: Turn, tables: readonly TableProgress[]): Promise<TableProgress[]> {
  const moved: TableProgress[] = [];
  try {
    for (const before of tables) {
      const oldestWaiting = turn.waiting[tableSources[before.table]];
      const piece = nextPiece(before, { now: turn.run.now, oldestWaiting });
      if (piece === undefined) continue;
      if (!turn.run.mayBegin()) return endTurn(turn);
      const after = await putOne(turn, before, piece);
      if (after === 'stopped') return endTurn(turn);
      if (after !== undefined) moved.push(after);
    }
    return moved;
  } catch (error) {
    if (turn.deps.signal.aborted) return endTurn(turn);
    if (!(error instanceof BucketError)) throw error;
    turn.problem = error.message;
    return [];
  }
}

function endTurn(turn: Turn): TableProgress[] {
  turn.isWhole = false;
  return [];
}

/**
 * Returns the progress of the table after the hour: `undefined` when the table has to wait for another run, and `stopped`
 * when the page must not be exported further.
 */
async function putOne(
  turn: Turn,
  before: TableProgress,
  { from, after }: NextPiece,
): Promise<TableProgress | 'stopped' | undefined> {
  const { deps, target } = turn;
  try {
    if (!(await putPiece(deps, target, before.table, from))) return 'stopped';
  } catch (error) {
    if (error instanceof TableError) {
      turn.problem = error.message;
      return undefined;
    }
    if (!(error instanceof NotYetError) || deps.signal.aborted) throw error;
    noteWait(deps, target.pageId, before.table, error);
    turn.isWhole = false;
    return error.isOfStore ? 'stopped' : undefined;
  }
  turn.puts += 1;
  return (await moveTable(deps, target, { before, after })) ? after : 'stopped';
}

function noteWait({ log }: ExportDeps, pageId: PageId, table: HourlyTable, error: NotYetError): void {
  log.info(
    { pageId, table, reason: error.message },
    'The figures of a page could not be read yet; the next run tries again.',
  );
}
