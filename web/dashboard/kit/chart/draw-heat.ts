import uPlot from 'uplot';
import type { Format } from '../../format.js';
import { axisWidth, font, rightRoom, timeAxis } from './axes.js';
import { type Drawn, drawnOf } from './draw.js';
import { heatLevel, heatParts } from './heat.js';
import type { TimeAxis } from './model.js';
import type { HeatMapProps } from './props.js';
import { mixColours, type ThemeColours } from './theme-colours.js';

export type HeatDrawing = Pick<HeatMapProps, 'rows' | 'values'> & {
  axis: TimeAxis;
  thresholds: readonly number[];
  size: { width: number; height: number };
  colours: ThemeColours;
  format: Format;
};

/** Draws a heat map into an element, which has nothing else in it, with the axes of the other charts. */
export function drawHeat(target: HTMLElement, drawing: HeatDrawing): Drawn {
  const { axis, rows, size, colours } = drawing;
  const middles = rows.map((_, row) => row + 0.5);
  const plot = new uPlot(
    {
      ...size,
      ms: 1,
      padding: [8, rightRoom, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { range: [axis.from, axis.to] }, y: { range: [0, rows.length] } },
      axes: [
        timeAxis(drawing),
        {
          ...{ stroke: colours.soft, font, gap: 6, size: axisWidth },
          splits: () => middles,
          values: () => rows.map(({ axis: label }) => label),
          grid: { show: false },
          ticks: { show: false },
        },
      ],
      series: [{}, { points: { show: false } }],
      hooks: { draw: [(self) => paint(self, drawing)] },
    },
    [
      [axis.from, axis.to],
      [null, null],
    ],
    target,
  );
  return drawnOf(plot);
}

function paint(plot: uPlot, { axis, rows, values, thresholds, colours }: HeatDrawing): void {
  const { ctx } = plot;
  const tints = heatParts.map((part) => mixColours(colours.accent, colours.card, part));
  const gap = uPlot.pxRatio;
  ctx.save();
  for (const [i, counts] of values.entries()) {
    const start = axis.times[i];
    if (start === undefined) continue;
    const left = plot.valToPos(Math.max(start, axis.from), 'x', true);
    const right = plot.valToPos(Math.min(start + axis.stepMs, axis.to), 'x', true);
    // Narrow columns touch, so that their colours stay what the legend says.
    const width = right - left > 6 * gap ? right - left - gap : right - left;
    if (counts === null) {
      paintGap(plot, { left, width }, colours.edge);
      continue;
    }
    for (let row = 0; row < rows.length; row++) {
      const tint = tints[heatLevel(counts[row] ?? 0, thresholds) - 1];
      if (tint === undefined) continue;
      const [top, bottom] = [plot.valToPos(row + 1, 'y', true), plot.valToPos(row, 'y', true)];
      ctx.fillStyle = tint;
      ctx.fillRect(left, top, width, bottom - top - gap);
    }
  }
  ctx.restore();
}

/** A step without a report is crossed out, because no report differs from zero. */
function paintGap(
  { ctx, bbox }: uPlot,
  { left, width }: { left: number; width: number },
  colour: string,
): void {
  const distance = 6 * uPlot.pxRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, bbox.top, width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = uPlot.pxRatio;
  ctx.beginPath();
  // From the left edge of the chart, so that the lines of neighbours meet.
  for (let x = bbox.left - bbox.height; x < left + width; x += distance) {
    if (x + bbox.height < left) continue;
    ctx.moveTo(x, bbox.top + bbox.height);
    ctx.lineTo(x + bbox.height, bbox.top);
  }
  ctx.stroke();
  ctx.restore();
}
