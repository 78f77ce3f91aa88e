import type uPlot from 'uplot';
import type { Format } from '../../format.js';
import { fitLabels, type TimeAxis, tickLabels, xOf } from './model.js';
import type { TimeChartProps } from './props.js';
import type { ThemeColours } from './theme-colours.js';

/** The same for all charts, so that those below each other have their times below each other. */
export const axisWidth = 60;
const axisHeight = 40;
/** Room beside the plot for half of the last label of the time, such as `12:01:05`. */
export const rightRoom = 28;
export const font = '11px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';

type AxisStyle = { colours: ThemeColours; format: Format };
type TimeAxisStyle = AxisStyle & { axis: TimeAxis; size: { width: number } };

/** The time axis below every chart. */
export function timeAxis({ colours, format, axis, size }: TimeAxisStyle): uPlot.Axis {
  const width = size.width - axisWidth - rightRoom;
  const edges = { left: -axisWidth, right: width + rightRoom, widthOf };
  return {
    ...{ stroke: colours.soft, font, gap: 6, size: axisHeight, space: 72 },
    grid: { show: false },
    ticks: { stroke: colours.edge, width: 1, size: 5 },
    border: { show: true, stroke: colours.edge, width: 1 },
    values: (_, ticks, __, ___, increment) => {
      const places = ticks.map((at) => xOf(axis, width, at));
      return fitLabels(tickLabels(ticks, increment, format), places, edges);
    },
  };
}

let measuring: CanvasRenderingContext2D | null | undefined;

/** Returns the pixels of a line in the font of the axes. */
function widthOf(line: string): number {
  measuring ??= document.createElement('canvas').getContext('2d');
  if (measuring === null) return 0;
  measuring.font = font;
  return measuring.measureText(line).width;
}

type ValueAxisStyle = AxisStyle & Pick<TimeChartProps, 'unit'> & { scale: 'linear' | 'log' };

/** The axis of the values, beside the plot. */
export function valueAxis({ colours, format, unit, scale }: ValueAxisStyle): uPlot.Axis {
  return {
    ...{ stroke: colours.soft, font, gap: 6, size: axisWidth, space: 36 },
    ...(unit === 'count' && { incrs: wholeSteps }),
    ...(scale === 'log' && {
      splits: (_: uPlot, __: number, min: number, max: number) => powersOfTen(min, max),
      filter: (_: uPlot, ticks: number[]) => ticks,
    }),
    grid: { stroke: colours.edge, width: 1 },
    ticks: { show: false },
    values: (_, ticks) => ticks.map(format[unit]),
  };
}

/** There is no half of a request. */
const wholeSteps = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

/** The ticks of a logarithmic axis. */
function powersOfTen(min: number, max: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(min)), Math.floor(Math.log10(max))];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
}
