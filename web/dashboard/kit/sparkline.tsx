import type { ShareTone } from './error-share.js';

type SparklineProps = {
  /** One value a step; null is a gap. */
  values: readonly (number | null)[];
  /** Values of the same steps that are drawn in the colour of failures below a dashed line, on the same scale. */
  failures?: readonly (number | null)[] | undefined;
  /** The colour of the failures, by their share. */
  tone?: ShareTone | undefined;
  /** The description for screen readers. */
  label?: string | undefined;
  width?: number;
  height?: number;
};

/** A line without axes, from 0 to the largest value. */
export function Sparkline({
  values,
  failures,
  tone = 'bad',
  label,
  width = 96,
  height = 24,
}: SparklineProps) {
  const max = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const scale = { width, height, max };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: a label names it, or it is decoration.
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      {...(label === undefined ? { 'aria-hidden': 'true' as const } : { role: 'img', 'aria-label': label })}
    >
      <path class="sparkline-area" d={areaOf(values, scale)} />
      <path class="sparkline-line" d={lineOf(values, scale)} />
      {failures?.some((value) => value !== null && value > 0) && (
        <>
          <path class={`sparkline-failures ${tone}`} d={areaOf(failures, scale)} />
          <path class={`sparkline-failures-line ${tone}`} d={lineOf(failures, scale)} />
        </>
      )}
    </svg>
  );
}

type Scale = { width: number; height: number; max: number };
type Point = readonly [x: number, y: number];

/** Runs of points between gaps, in the coordinates of the picture. */
function runsOf(values: SparklineProps['values'], { width, height, max }: Scale): Point[][] {
  const runs: Point[][] = [[]];
  const stepWidth = width / Math.max(1, values.length - 1);
  for (const [i, value] of values.entries()) {
    if (value === null) {
      runs.push([]);
      continue;
    }
    // Half a pixel above the ground, so that the line of 0 is seen whole.
    runs.at(-1)?.push([round(i * stepWidth), round(height - 1 - (value / max) * (height - 2))]);
  }
  return runs.filter((run) => run.length > 0);
}

function lineOf(values: SparklineProps['values'], scale: Scale): string {
  return runsOf(values, scale)
    .map((run) => `M${run.map(([x, y]) => `${x} ${y}`).join('L')}${run.length === 1 ? 'h1' : ''}`)
    .join('');
}

function areaOf(values: SparklineProps['values'], scale: Scale): string {
  return runsOf(values, scale)
    .map((run) => {
      const [first] = run;
      const last = run.at(-1);
      return `M${first?.[0]} ${scale.height}L${run.map(([x, y]) => `${x} ${y}`).join('L')}L${last?.[0]} ${scale.height}z`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
