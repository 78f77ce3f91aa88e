import uPlot from 'uplot';
import type { Format } from '../../format.js';
import { rightRoom, timeAxis, valueAxis } from './axes.js';
import {
  type ChartColour,
  type ChartLevel,
  loneValues,
  middleOf,
  type PlotBox,
  splitRunning,
  type TimeAxis,
} from './model.js';
import type { TimeChartProps } from './props.js';
import { mixColours, type ThemeColours } from './theme-colours.js';

/** A series as it is drawn: stacked values in a stack. */
export type DrawnSeries = {
  values: readonly (number | null)[];
  colour: ChartColour;
  levels: readonly ChartLevel[] | undefined;
  /** Among the series of the chart; stays when another one is left out. */
  place: number;
  dash: number[];
  /** Stands after the others, and is a line among stacks and bands too. */
  isBeside: boolean;
};

export type Drawing = {
  kind: NonNullable<TimeChartProps['kind']>;
  unit: TimeChartProps['unit'];
  scale: NonNullable<TimeChartProps['scale']>;
  axis: TimeAxis;
  series: readonly DrawnSeries[];
  /** The place of the first step that is not over; `undefined` when all are. */
  runningFrom: number | undefined;
  /** A value that the axis reaches. */
  reach: number | undefined;
  size: { width: number; height: number };
  colours: ThemeColours;
  format: Format;
};

/** Where the data is, and the pixels of a value from the top of the plot. */
export type Drawn = { box: PlotBox; yOf(value: number): number; destroy(): void };

/** Draws a chart into an element, which has nothing else in it. */
export function drawChart(target: HTMLElement, drawing: Drawing): Drawn {
  const { axis, series, size, kind, runningFrom } = drawing;
  const own = series.filter(({ isBeside }) => !isBeside);
  // The largest of a stack first: the others are drawn over it.
  const ordered =
    kind === 'lines' || kind === 'bands'
      ? series
      : [...own.toReversed(), ...series.filter(({ isBeside }) => isBeside)];
  const { final, running } = splitSeries(ordered, kind === 'bars' ? undefined : runningFrom);
  const plot = new uPlot(
    {
      ...size,
      ms: 1,
      padding: [8, rightRoom, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { range: [axis.from, axis.to] }, y: valueScale(drawing) },
      axes: [timeAxis(drawing), valueAxis(drawing)],
      series: [
        {},
        ...final.map((one, i) => seriesOptions(drawing, one, i)),
        ...running.map((one) => ({ ...lineOptions(drawing, one), dash: runningDash })),
      ],
      bands: kind === 'bands' ? bandsOf(drawing) : [],
    },
    [axis.times.map((_, i) => middleOf(axis, i)), ...[...final, ...running].map(({ values }) => [...values])],
    target,
  );
  return drawnOf(plot);
}

/** The dashes of a line to a step that is not over, whatever those of the line before are. */
const runningDash = [2, 4];

/** Splits each series where the steps begin that are not over; a series to compare with has none. */
function splitSeries(
  series: readonly DrawnSeries[],
  runningFrom: number | undefined,
): { final: readonly DrawnSeries[]; running: readonly DrawnSeries[] } {
  if (runningFrom === undefined) return { final: series, running: [] };
  return {
    final: series.map((one) =>
      one.isBeside ? one : { ...one, values: splitRunning(one.values, runningFrom).final },
    ),
    running: series
      .filter(({ isBeside }) => !isBeside)
      .map((one) => ({ ...one, values: splitRunning(one.values, runningFrom).running })),
  };
}

/** Where a new chart draws its data. */
export function drawnOf(plot: uPlot): Drawn {
  // It would draw in a microtask, and has no scales until then.
  plot.batch(() => {});
  const { left, top, width, height } = plot.bbox;
  const ratio = uPlot.pxRatio;
  return {
    box: { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio },
    yOf: (value) => plot.valToPos(value, 'y'),
    destroy: () => plot.destroy(),
  };
}

function valueScale(drawing: Drawing): uPlot.Scale {
  if (drawing.scale === 'linear') return { range: (_, min, max) => yRange(drawing, min, max) };
  // Some room on both sides, so that no line lies on the edge.
  return { distr: 3, range: (_, min, max) => [(min || 1) / 1.6, (max || 1_000) * 1.4] };
}

/** From 0, or from below the least value under it, with some room above the largest; shares end at the whole. */
function yRange({ unit, reach }: Drawing, min: number | null, max: number | null): [number, number] {
  const least = Math.min(min ?? 0, 0) * 1.08;
  const largest = Math.max(max ?? 0, reach ?? 0);
  if (largest <= 0) return [least, unit === 'share' ? 0.01 : 1];
  const room = largest * 1.08;
  return [least, unit === 'share' && largest <= 1 ? Math.min(1, room) : room];
}

/** A line in the colour of its values, with points for those between two gaps. */
function lineOptions(
  { colours, kind }: Drawing,
  { colour, levels, values, dash }: DrawnSeries,
): uPlot.Series {
  const stroke = colours[colour];
  const lone = loneValues(values);
  return {
    ...{ stroke, width: kind === 'areas' ? 1.25 : 1.75, dash },
    points: { show: false, filter: () => (lone.length > 0 ? lone : null), size: 5, fill: stroke },
    ...(levels !== undefined && {
      stroke: (plot) => gradientOf(plot, levels, (name) => colours[name]),
    }),
  };
}

function seriesOptions(drawing: Drawing, one: DrawnSeries, index: number): uPlot.Series {
  const { kind, colours, series } = drawing;
  const stroke = colours[one.colour];
  const line = lineOptions(drawing, one);
  if (one.isBeside) return { ...line, width: 1.25 };
  const hatch = hatchOf(one, series);
  if (kind === 'bars') {
    const paths = uPlot.paths.bars?.({ size: [0.82, 28], radius: index === 0 ? 0.15 : 0 });
    return {
      ...{
        width: 0,
        points: { show: false },
        fill: () => patternOf(hatch, stroke, mixColours(colours.card, stroke, 0.5)),
      },
      ...(paths !== undefined && { paths }),
    };
  }
  if (kind === 'areas') {
    const fill = mixColours(stroke, colours.card, 0.45);
    return { ...line, dash: [], fill: () => patternOf(hatch, fill, stroke) };
  }
  const isAlone = kind === 'lines' && index === 0 && series.every(({ isBeside }, i) => i === 0 || isBeside);
  const { levels } = one;
  if (!isAlone) return line;
  if (levels === undefined) return { ...line, fill: `${stroke}1f` };
  return { ...line, fill: (plot) => gradientOf(plot, levels, (colour) => `${colours[colour]}1f`) };
}

/** The colours of levels from the bottom of the plot to its top, each with a hard edge. */
function gradientOf(
  plot: uPlot,
  levels: readonly ChartLevel[],
  inkOf: (colour: ChartColour) => string,
): CanvasGradient {
  const { top, height } = plot.bbox;
  const gradient = plot.ctx.createLinearGradient(0, top + height, 0, top);
  const placeOf = (value: number) =>
    Math.min(1, Math.max(0, (top + height - plot.valToPos(value, 'y', true)) / Math.max(1, height)));
  for (const [i, { from, colour }] of levels.entries()) {
    const next = levels[i + 1];
    gradient.addColorStop(placeOf(from), inkOf(colour));
    gradient.addColorStop(next === undefined ? 1 : placeOf(next.from), inkOf(colour));
  }
  return gradient;
}

type Stroke = readonly [fromX: number, fromY: number, toX: number, toY: number];

/** Strokes on a tile from 0 to 1, by the place in a stack; none at the third place, which is often the largest. */
const hatches: readonly (readonly Stroke[])[] = [
  // Twice beyond the corners, so that the stripes of neighbouring tiles meet.
  [-1, 0, 1].map((shift) => [shift - 0.2, 1.2, shift + 1.2, -0.2]),
  [-1, 0, 1].map((shift) => [shift - 0.2, -0.2, shift + 1.2, 1.2]),
  [],
  [[0.3, 0.5, 0.6, 0.5]],
  [[0, 0.5, 1, 0.5]],
  [[0.5, 0, 0.5, 1]],
];

/** Failures have the first hatch wherever they stand, and what stands first has theirs. */
function hatchOf({ colour, place }: DrawnSeries, series: readonly DrawnSeries[]): number {
  if (colour === 'bad') return 0;
  const failures = series.find((one) => one.colour === 'bad');
  return place === 0 && failures !== undefined ? failures.place : place;
}

/** The parts of a stack differ in more than their colour: each place has its hatch. */
function patternOf(hatch: number, fill: string, ink: string): string | CanvasPattern {
  const size = 6 * uPlot.pxRatio;
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (context === null) return fill;
  context.fillStyle = fill;
  context.fillRect(0, 0, size, size);
  context.scale(size, size);
  context.strokeStyle = ink;
  context.lineWidth = 0.2;
  context.beginPath();
  for (const [fromX, fromY, toX, toY] of hatches[hatch % hatches.length] ?? []) {
    context.moveTo(fromX, fromY);
    context.lineTo(toX, toY);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat') ?? fill;
}

function bandsOf({ series, colours }: Drawing): uPlot.Band[] {
  const own = series.filter(({ isBeside }) => !isBeside);
  return own.slice(1).map((upper, i) => ({
    series: [i + 2, i + 1],
    fill: `${colours[upper.colour]}${i === 0 ? '3d' : '21'}`,
  }));
}
