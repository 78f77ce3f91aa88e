import { type SteppedRange, stepsOf } from './steps.js';
import { dayMs, minuteMs } from './times.js';

/**
 * How long figures are kept: from `from` on, in milliseconds since the epoch. `why` says so in a sentence, and `others` which
 * ones are kept for longer.
 */
export type Kept = { from: number; why: string; others?: string };

/** Fields about figures that are no longer kept; both are null when all of the range is. */
export type KeptNotes = { keptFrom: string | null; notKept: string | null };

/**
 * Returns what is kept of figures of the last `days` at `now`. Ranges begin with a whole minute, or with another
 * `unitMs`, so the minute that is about to go counts: a range of exactly these days is all kept.
 */
export function keptAt(now: number, days: number, unitMs = minuteMs): Kept {
  return {
    from: Math.floor((now - days * dayMs) / unitMs) * unitMs,
    why: `Figures are kept for ${days} days.`,
  };
}

/** Returns what an answer says of a range from `from`, in milliseconds since the epoch. */
export function noteKept(from: number, kept: Kept): KeptNotes {
  if (from >= kept.from) return { keptFrom: null, notKept: null };
  const keptFrom = new Date(kept.from).toISOString();
  const notKept = [kept.why, `Those before ${keptFrom} are null.`, kept.others].filter(Boolean).join(' ');
  return { keptFrom, notKept };
}

/** Fields about a range in steps; `unfinishedFrom` is the start of the running step, or null. */
export type RangeNotes = KeptNotes & { unfinishedFrom: string | null };

/** Returns what an answer says of a range in steps. */
export function noteRange(range: SteppedRange, kept: Kept): RangeNotes {
  return { ...noteKept(range.from, kept), unfinishedFrom: unfinishedFrom(range) };
}

/** Returns the start of the running step, if the range has it: the figures of that step still grow. */
export function unfinishedFrom({ from, to, stepSeconds, now }: SteppedRange): string | null {
  const stepMs = stepSeconds * 1000;
  const start = Math.floor(Math.max(now, from) / stepMs) * stepMs;
  return start < to ? new Date(start).toISOString() : null;
}

/** Whether each step of a range, from the first one that it touches, is kept from its start, or from the start of the range. */
export function keptSteps(range: Omit<SteppedRange, 'now'>, kept: Kept): boolean[] {
  const { first, length } = stepsOf(range);
  const startOf = (i: number) => Math.max(range.from, (first + i) * range.stepSeconds * 1000);
  return Array.from({ length }, (_, i) => startOf(i) >= kept.from);
}
