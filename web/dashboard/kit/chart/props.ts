import type { ChartNotes } from './kept.js';
import type { ChartMark, ChartSeries, ChartSpan, ChartUnit } from './model.js';

/** Pixels of a plot with its time axis. */
export const chartHeight = 232;

/** The input of `TimeChart`; time-chart.tsx says how to use it. */
export type TimeChartProps = {
  title: string;
  /** The start of each step of the range in milliseconds, ascending. */
  times: readonly number[];
  stepSeconds: number;
  /** Ends of the time axis in milliseconds; the ends of the steps by default. */
  from?: number | undefined;
  to?: number | undefined;
  kind?: 'lines' | 'bars' | 'areas' | 'bands';
  unit: ChartUnit;
  /** Linear from 0, or logarithmic for lines and bands whose values differ by magnitudes; 0 is not drawn then. */
  scale?: 'linear' | 'log' | undefined;
  /** Stacks begin with the first one; bands lie between one and the next. */
  series: readonly ChartSeries[];
  marks?: readonly ChartMark[];
  shaded?: readonly ChartSpan[];
  /** The answer that is drawn, which says what of it is not kept and what is not over. */
  notes?: ChartNotes | undefined;
  /** A horizontal line, such as a promise; the axis reaches it. */
  limit?: { value: number; label: string } | undefined;
  /** A sentence about a step. */
  noteAt?: ((index: number) => string | undefined) | undefined;
  /** Pixels of the plot with its time axis. */
  height?: number;
  /** In place of a new range in the address. Times are in milliseconds. */
  onZoom?: ((from: number, to: number) => void) | undefined;
};

/** The input of `HeatMap`: how often each bucket was hit in each step. */
export type HeatMapProps = Pick<
  TimeChartProps,
  'title' | 'times' | 'stepSeconds' | 'from' | 'to' | 'marks' | 'shaded' | 'notes' | 'height' | 'onZoom'
> & {
  /** Names of the buckets, the lowest first: on the axis, and in words. */
  rows: readonly { axis: string; label: string }[];
  /** Counts of the buckets for each of the times; null where nothing was reported. */
  values: readonly (readonly number[] | null)[];
  /** The counted noun, such as `acquisitions`. */
  counted: string;
};
