import type { Format } from '../../format.js';
import type { ChartSpan, TimeAxis } from './model.js';
import type { ChartTexts } from './texts.js';

/** Fields about steps that are not final and those that are gone, as times in ISO 8601. */
export type ChartNotes = { keptFrom: string | null; unfinishedFrom: string | null };

/** The same as a chart draws it, in milliseconds. */
export type DrawnNotes = {
  /** Up to here nothing is kept; `undefined` when all is. */
  keptFrom: number | undefined;
  /** From here on, steps are not over; `undefined` when all are. */
  unfinishedFrom: number | undefined;
};

/** Returns what a chart draws of the notes of an answer; times beyond its axis are none. */
export function drawnNotes(notes: ChartNotes | undefined, { from, to }: TimeAxis): DrawnNotes {
  const [kept, unfinished] = [notes?.keptFrom, notes?.unfinishedFrom].map((time) =>
    time == null ? undefined : Date.parse(time),
  );
  return {
    keptFrom: kept !== undefined && kept > from ? kept : undefined,
    unfinishedFrom: unfinished !== undefined && unfinished < to ? unfinished : undefined,
  };
}

/** The time that is shaded because nothing of it is kept. */
export function unkeptSpans(
  { keptFrom }: DrawnNotes,
  { from, to }: TimeAxis,
  { notKept }: Pick<ChartTexts, 'notKept'>,
): ChartSpan[] {
  if (keptFrom === undefined) return [];
  return [{ from, to: Math.min(to, keptFrom), label: notKept, kind: 'unkept' }];
}

/** Whether the step that begins at a time is not over. */
function isUnfinished({ unfinishedFrom }: DrawnNotes, at: number | undefined): boolean {
  return at !== undefined && unfinishedFrom !== undefined && at >= unfinishedFrom;
}

/** The place of the first step that is not over; `undefined` when all are. */
export function unfinishedIndex(notes: DrawnNotes, { times }: Pick<TimeAxis, 'times'>): number | undefined {
  const index = times.findIndex((at) => isUnfinished(notes, at));
  return index === -1 ? undefined : index;
}

/** Says that a step is not over, so that its figures are those so far. */
export function unfinishedText(
  notes: DrawnNotes,
  at: number | undefined,
  { soFar }: Pick<ChartTexts, 'soFar'>,
): string[] {
  return isUnfinished(notes, at) ? [soFar] : [];
}

/** The time of a step in a table, with the words for one that is not over. */
export function stepText(
  notes: DrawnNotes,
  at: number,
  { moment, texts }: Pick<Format, 'moment'> & { texts: Pick<ChartTexts, 'soFar'> },
): string {
  return [moment(at), ...unfinishedText(notes, at, texts)].join(', ');
}

/**
 * Returns the start of the first step that is not over at `now`, for figures whose answer does not say it; null when all
 * steps are over. Times are in milliseconds.
 */
export function runningStep(times: readonly number[], stepMs: number, now: number): string | null {
  const start = times.find((at) => at + stepMs > now);
  return start === undefined ? null : new Date(start).toISOString();
}

/** The sentence below a chart with a gap; `undefined` without one. */
export function keptSentence(
  { keptFrom }: DrawnNotes,
  { moment }: Pick<Format, 'moment'>,
  { keptFrom: say }: Pick<ChartTexts, 'keptFrom'>,
): string | undefined {
  return keptFrom === undefined ? undefined : say({ time: moment(keptFrom) });
}
