import type { Format } from '../../format.js';

/** How values are written, on the axis and in words: a method of `Format`. */
export type ChartUnit = 'count' | 'number' | 'perSecond' | 'share' | 'ms';

/** Names of colours, which follow the theme: those that mean something, and `1` to `6` for what is only told apart. */
export const chartColours = [
  ...(['accent', 'good', 'warn', 'bad', 'info', 'none'] as const),
  ...(['1', '2', '3', '4', '5', '6'] as const),
];
export type ChartColour = (typeof chartColours)[number];

export type ChartValue = number | null;

export type ChartLevel = { from: number; colour: ChartColour };

export type ChartSeries = {
  /** Names the series within its chart. */
  key: string;
  label: string;
  /** One value for each of the chart's times; null where nothing was measured, which is drawn as a gap. */
  values: readonly ChartValue[];
  /** By its place among the series when missing. */
  colour?: ChartColour | undefined;
  /** Colours of its values from where on they hold, ascending from 0, in place of one colour. */
  levels?: readonly ChartLevel[] | undefined;
  /** Writes a value in words where the unit does not say it. */
  text?: ((value: number, index: number) => string) | undefined;
  /** A dashed line to compare with, such as the period before: in no stack and no band, and after the other series. */
  isBeside?: boolean | undefined;
};

/** Something that happened at one time, or began then: a line on the time axis. Times are in milliseconds. */
export type ChartMark = { at: number; label: string; kind: 'deploy' | 'incident' };

/** A time that is shaded. Times are in milliseconds. */
export type ChartSpan = {
  from: number;
  to: number;
  label: string;
  kind: 'maintenance' | 'incident' | 'unkept';
};

/** The time axis: each step from its start, in milliseconds; `from` and `to` are the ends of what is drawn. */
export type TimeAxis = { times: readonly number[]; stepMs: number; from: number; to: number };

/** Pixels of the area that data is drawn in, within the chart. */
export type PlotBox = { left: number; top: number; width: number; height: number };

/** Adds the values of each series to the sums of the series before it. A null adds nothing and stays a gap. */
export function stackValues(rows: readonly (readonly ChartValue[])[]): ChartValue[][] {
  const sums: number[] = [];
  return rows.map((values) =>
    values.map((value, i) => {
      if (value === null) return null;
      const sum = (sums[i] ?? 0) + value;
      sums[i] = sum;
      return sum;
    }),
  );
}

/**
 * Splits values where the first step that still runs begins: those that are final, and those that a dashed line joins,
 * from the last final one on. What is counted so far would be drawn as a drop otherwise.
 */
export function splitRunning(
  values: readonly ChartValue[],
  first: number,
): { final: ChartValue[]; running: ChartValue[] } {
  return {
    final: values.map((value, i) => (i < first ? value : null)),
    running: values.map((value, i) => (i >= first - 1 ? value : null)),
  };
}

/** The colour of one value of a series. */
export function colourOf(
  { colour, levels = [], values }: Pick<ChartSeries, 'levels' | 'values'> & { colour: ChartColour },
  index: number | undefined,
): ChartColour {
  const value = index === undefined ? null : (values[index] ?? null);
  if (value === null) return colour;
  return levels.findLast(({ from }) => value >= from)?.colour ?? colour;
}

/** Places of the values between two gaps, which no line shows. */
export function loneValues(values: readonly ChartValue[]): number[] {
  return values.flatMap((value, i) =>
    value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : [],
  );
}

/** The step that contains a time or is nearest to it; `undefined` without steps. Times are ascending. */
export function indexAt({ times, stepMs }: TimeAxis, at: number): number | undefined {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  const [start, next] = [times[low], times[low + 1]];
  if (start === undefined) return undefined;
  // Between two steps that do not touch, the nearer one.
  if (next !== undefined && at - (start + stepMs) > next - at) return low + 1;
  return low;
}

/** The middle of a step, where its value is drawn. */
export function middleOf({ times, stepMs, from }: TimeAxis, index: number): number {
  return (times[index] ?? from) + stepMs / 2;
}

/** Pixels from the start of the axis to a time. */
export function xOf({ from, to }: TimeAxis, width: number, at: number): number {
  return ((at - from) / Math.max(1, to - from)) * width;
}

/** The newest step that is over and has a value; the newest with a value when none is over. */
export function newestIndex(
  { times, stepMs }: TimeAxis,
  rows: readonly (readonly ChartValue[])[],
  now: number,
): number | undefined {
  const known = times.flatMap((start, i) =>
    rows.some((values) => (values[i] ?? null) !== null) ? [{ start, i }] : [],
  );
  return (known.findLast(({ start }) => start + stepMs <= now) ?? known.at(-1))?.i;
}

/** The shortest range that a selection zooms to, in milliseconds: shorter ones have too few points. */
export const zoomMsMin = 300_000;

/** The whole steps between two, in either order, in milliseconds; wider than that when it would be shorter than allowed. */
export function selectionOf(axis: TimeAxis, a: number, b: number): { from: number; to: number } {
  const from = axis.times[Math.min(a, b)] ?? axis.from;
  const to = (axis.times[Math.max(a, b)] ?? axis.from) + axis.stepMs;
  const missing = Math.max(0, zoomMsMin - (to - from)) / 2;
  return { from: from - missing, to: to + missing };
}

const pageSteps = 10;

/** Where a key moves the cursor to; `undefined` for other keys. Begins at `start` when there is no cursor yet. */
export function moveIndex(
  key: string,
  index: number | undefined,
  { count, start }: { count: number; start: number },
): number | undefined {
  const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -pageSteps, PageDown: pageSteps }[key];
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (steps === undefined || count === 0) return undefined;
  return index === undefined ? start : Math.min(count - 1, Math.max(0, index + steps));
}

/** Marks within a step, and the shaded times that touch it. */
export function eventsAt(
  { times, stepMs }: TimeAxis,
  index: number,
  { marks, shaded }: { marks: readonly ChartMark[]; shaded: readonly ChartSpan[] },
): string[] {
  const start = times[index];
  if (start === undefined) return [];
  const end = start + stepMs;
  return [
    ...marks.filter(({ at }) => at >= start && at < end),
    ...shaded.filter(({ from, to }) => from < end && to > start),
  ].map(({ label }) => label);
}

/** Returns the words for a step, such as `21 Nov, 16:30: p50 5 ms, p95 12 ms. Deployed 1.2.` */
export function speechOf(time: string, values: readonly string[], further: readonly string[]): string {
  return [`${time}: ${values.join(', ')}`, ...further].join('. ');
}

/** The value in words; a dash, or the given text, for a gap. */
export function valueText(
  { values, text }: ChartSeries,
  index: number,
  { format, unit, none }: { format: Format; unit: ChartUnit; none: string },
): string {
  const value = values[index] ?? null;
  if (value === null) return none;
  return text === undefined ? format[unit](value) : text(value, index);
}

/** The words below ticks of the time axis: the time of the day, and the day where it begins. `incrementMs` lies between two. */
export function tickLabels(
  ticks: readonly number[],
  incrementMs: number,
  { clock, minute, day }: Pick<Format, 'clock' | 'minute' | 'day'>,
): string[] {
  if (incrementMs >= 86_400_000) return ticks.map(day);
  const time = incrementMs < 60_000 ? clock : minute;
  return ticks.map((at, i) => {
    const before = ticks[i - 1];
    const isNewDay = before === undefined || day(before) !== day(at);
    return isNewDay ? `${time(at)}\n${day(at)}` : time(at);
  });
}

/**
 * Leaves out labels that an edge would cut: each stands with its middle at its place, and is as wide as the widest of its
 * lines. Places, edges and widths are in pixels.
 */
export function fitLabels(
  labels: readonly string[],
  places: readonly number[],
  { left, right, widthOf }: { left: number; right: number; widthOf(line: string): number },
): string[] {
  return labels.map((label, i) => {
    const half = Math.max(...label.split('\n').map(widthOf)) / 2;
    const place = places[i] ?? left;
    return place - half >= left && place + half <= right ? label : '';
  });
}
