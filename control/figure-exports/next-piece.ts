import {
  againAfterHours,
  type HourlyTable,
  keptDays,
  settledAfterMinutes,
  waitHoursMax,
} from '../../contract/exported-tables.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';

/** How far a table of a page has come, in milliseconds since the epoch. */
export type TableProgress = {
  table: HourlyTable;
  /** End of the last hour of which the bucket has the object. */
  exportedUntil: number;
  /** End of the last hour whose object is not put again. */
  finalUntil: number;
};

/** The object of an hour that is put next, and the progress after it. */
export type NextPiece = { from: number; after: TableProgress };

type PieceTimes = {
  now: number;
  /** When the oldest data of the table was acknowledged that its store lacks; `undefined` when it has all. */
  oldestWaiting: number | undefined;
};

/**
 * Returns the hour of a table that is put next; `undefined` when none is due. An hour is due when it is settled, and again
 * a day after its end, for the rows that came late. Hours that the table does not keep whole any more are left out: their
 * objects would have fewer rows than those in the bucket.
 */
export function nextPiece(before: TableProgress, times: PieceTimes): NextPiece | undefined {
  const oldest = oldestKept(before.table, times.now);
  const exportedUntil = Math.max(before.exportedUntil, oldest);
  const finalUntil = Math.max(before.finalUntil, oldest);
  const { table } = before;
  if (finalUntil < exportedUntil && isFinal(finalUntil, times)) {
    return { from: finalUntil, after: { table, exportedUntil, finalUntil: finalUntil + hourMs } };
  }
  const end = exportedUntil + hourMs;
  if (!isSettled(end + settledAfterMinutes * minuteMs, times)) return undefined;
  // Every earlier hour is final when this one is.
  return {
    from: exportedUntil,
    after: { table, exportedUntil: end, finalUntil: isFinal(exportedUntil, times) ? end : finalUntil },
  };
}

/** The begin of the oldest hour that the table has whole. */
function oldestKept(table: HourlyTable, now: number): number {
  const days = keptDays[table];
  return days === undefined ? Number.NEGATIVE_INFINITY : Math.ceil((now - days * dayMs) / hourMs) * hourMs;
}

function isFinal(from: number, times: PieceTimes): boolean {
  return isSettled(from + hourMs + againAfterHours * hourMs, times);
}

/** Whether everything that arrived before a time is in its store, or has been waited for as long as may be. */
function isSettled(at: number, { now, oldestWaiting }: PieceTimes): boolean {
  if (at > now) return false;
  const isWaiting = oldestWaiting !== undefined && oldestWaiting < at;
  return !isWaiting || now >= at + waitHoursMax * hourMs;
}
