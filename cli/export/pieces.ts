import {
  type ExportedTable,
  keptDays,
  settledAfterMinutes,
  timeColumns,
} from '../../contract/exported-tables.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';

/** A part of the time of a table, which becomes one file: a whole day, hour or ten minutes in UTC. */
export type Piece = {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  /** Such as `2027-01-31`, `2027-01-31T23` and `2027-01-31T23-50`; a shorter one begins all names of its parts. */
  name: string;
};

const tenMinutesMs = 10 * minuteMs;

/** The longest piece of a table comes first; one that is too large for a query is cut into pieces of the next length. */
export function lengthsOf(table: ExportedTable): readonly number[] {
  const time = timeColumns[table];
  if (time === 'day') return [dayMs];
  return time === 'hour' ? [dayMs, hourMs] : [hourMs, tenMinutesMs];
}

/** Cuts a time into whole pieces: those that it begins and ends in are whole as well. */
export function cut({ from, to }: { from: number; to: number }, lengthMs: number): Piece[] {
  const first = Math.floor(from / lengthMs);
  const count = Math.max(0, Math.ceil(to / lengthMs) - first);
  return Array.from({ length: count }, (_, at) => {
    const begin = (first + at) * lengthMs;
    return { from: begin, to: begin + lengthMs, name: nameOf(begin, lengthMs) };
  });
}

function nameOf(at: number, lengthMs: number): string {
  const iso = new Date(at).toISOString();
  if (lengthMs === dayMs) return iso.slice(0, 10);
  return lengthMs === hourMs ? iso.slice(0, 13) : iso.slice(0, 16).replace(':', '-');
}

/** Whether the rows of a piece have arrived: those of one that has not would make a file that is never made again. */
export function isSettled({ to }: Piece, now: number): boolean {
  return to + settledAfterMinutes * minuteMs <= now;
}

/** Whether the table still has every row of a piece: a file without those that it had would never be made again. */
export function isKept(table: ExportedTable, { from }: Piece, now: number): boolean {
  const days = keptDays[table];
  return days === undefined || from >= now - days * dayMs;
}
