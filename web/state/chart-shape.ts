import { dayMs, hourMs } from '../../lib/times.js';

/** Values of steps of equal length, oldest first; null for a step without one. */
export type Values = readonly (number | null)[];

/** Units of the drawing, which stretches to the available space: each step is this wide. */
export const stepWidth = 2;
export const plotHeight = 200;

/** The smallest round number that no value exceeds and whose half is round as well. */
export function niceTop(ms: number): number {
  const unit = 10 ** Math.max(1, Math.floor(Math.log10(Math.max(1, ms))));
  return ([1, 2, 3, 4, 6, 8, 10].find((factor) => factor * unit >= ms) ?? 10) * unit;
}

/** The shape of a series: lines through neighbouring values, the areas below them, and dots for values without one. */
export type Shape = { line: string; area: string; dots: string };

/**
 * A line connects the middles of steps and ends where the values end. Moves are relative, so that an area repeats the text
 * of its line, which compresses well.
 */
export function drawSeries(values: Values, top: number): Shape {
  const shape: Shape = { line: '', area: '', dots: '' };
  for (const { at, run } of listRuns(values)) {
    const heights = run.map((ms) => Math.round(plotHeight - (ms / top) * plotHeight));
    const [first = 0, ...others] = heights;
    const x = at * stepWidth + stepWidth / 2;
    if (others.length === 0) {
      shape.dots += `M${x} ${first}h0`;
      continue;
    }
    const moves = `l${others.map((y, i) => `${stepWidth} ${y - (heights[i] ?? 0)}`).join(' ')}`;
    shape.line += `M${x} ${first}${moves}`;
    shape.area += `M${x} ${plotHeight}V${first}${moves}V${plotHeight}z`;
  }
  return shape;
}

function listRuns(values: Values): { at: number; run: number[] }[] {
  const runs: { at: number; run: number[] }[] = [];
  for (const [at, ms] of values.entries()) {
    if (ms === null) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.at + last.run.length === at) last.run.push(ms);
    else runs.push({ at, run: [ms] });
  }
  return runs;
}

/** A span of time that begins and ends with a step, in milliseconds. */
export type Span = { from: number; steps: number; stepMs: number };

/** `form` is how to write the time; `share` is its place in the span, from 0 to 1. */
export type Tick = { at: number; share: number; form: 'clock' | 'weekday' | 'day' };

/** Ticks that fit side by side on a phone. */
const hourTicksMax = 7;
const dayTicksMax = 5;

/**
 * Round times of UTC, a few of them, at equal distances of `everyMs`. Hours are where the hour begins, days in
 * the middle of the day, where its value is. Distances of weeks begin on Mondays.
 */
export function listTicks({ from, steps, stepMs }: Span): { everyMs: number; ticks: Tick[] } {
  const isHours = stepMs === hourMs;
  const choices = isHours ? [1, 2, 3, 6, 12, 24, 48] : [1, 2, 7, 14, 21, 28];
  const every = choices.find((choice) => steps / choice <= (isHours ? hourTicksMax : dayTicksMax));
  const everyMs = (every ?? steps) * stepMs;
  const monday = 4 * dayMs;
  const origin = isHours ? 0 : monday;
  const ticks: Tick[] = [];
  // An hour may begin where the span ends, a day may not.
  const last = from + steps * stepMs - (isHours ? 0 : stepMs);
  const first = origin + Math.ceil((from - origin) / everyMs) * everyMs;
  for (let at = first; at <= last; at += everyMs) {
    const share = ((at - from) / stepMs + (isHours ? 0 : 0.5)) / steps;
    ticks.push({ at, share, form: isHours ? (at % dayMs === 0 ? 'weekday' : 'clock') : 'day' });
  }
  return { everyMs, ticks };
}
