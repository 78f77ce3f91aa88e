import { fromWallTime, toWallTime } from '../../../kit/form/zoned-time.js';

/** A day such as `2026-12-06`. */
export type Day = string;

const dayMs = 86_400_000;
/** People choose times in steps of half an hour. */
export const stepMs = 30 * 60_000;
export const stepsOfDay = dayMs / stepMs;

/**
 * Some whole days of a time zone, drawn one beside the other with the same width. Places follow the clock on the wall, so
 * that nine o'clock is at the same place of every day, also of one with 23 or 25 hours.
 */
export type Span = {
  zone: string;
  days: readonly Day[];
  /** In milliseconds since the epoch. */
  from: number;
  to: number;
};

/** Times in milliseconds since the epoch. */
export type Stretch = { from: number; to: number };

/** The day that is so many days later. */
export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

/** The day that the clock of a zone shows, at a time in milliseconds since the epoch. */
export function dayOf(at: number, zone: string): Day {
  return toWallTime(at, zone).slice(0, 10);
}

/** The Monday of the week of a day. */
export function mondayOf(day: Day): Day {
  return addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}

/** The days from one on. */
export function makeSpan(first: Day, count: number, zone: string): Span {
  const days = Array.from({ length: count }, (_, at) => addDays(first, at));
  const startOf = (day: Day): number => fromWallTime(`${day}T00:00`, zone);
  return { zone, days, from: startOf(first), to: startOf(addDays(first, count)) };
}

/** Where a stretch is drawn, in percent of the width; `undefined` for one outside of the days. */
export function placeIn(span: Span, { from, to }: Stretch): { left: number; width: number } | undefined {
  if (to <= span.from || from >= span.to) return undefined;
  const left = shareOf(span, Math.max(from, span.from));
  const end = to >= span.to ? 100 : shareOf(span, to);
  return { left, width: Math.max(0, end - left) };
}

function shareOf({ days: [first = ''], days, zone }: Span, at: number): number {
  const wall = Date.parse(`${toWallTime(at, zone)}Z`) - Date.parse(`${first}T00:00Z`);
  return Math.min(100, Math.max(0, (100 * wall) / (days.length * dayMs)));
}

/** Returns the time of a step, of `stepsOfDay` a day, in milliseconds since the epoch. */
export function timeOfStep({ days: [first = ''], zone }: Span, step: number): number {
  const wall = new Date(Date.parse(`${first}T00:00Z`) + step * stepMs).toISOString().slice(0, 16);
  return fromWallTime(wall, zone);
}

/** Returns the step in which a time is. */
export function stepOf({ days: [first = ''], zone }: Span, at: number): number {
  return Math.floor((Date.parse(`${toWallTime(at, zone)}Z`) - Date.parse(`${first}T00:00Z`)) / stepMs);
}
