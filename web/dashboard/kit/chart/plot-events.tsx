import type { ComponentChildren } from 'preact';
import { type ChartMark, type ChartSpan, type PlotBox, type TimeAxis, xOf } from './model.js';

/** Shapes of what happened, standing on the time axis: a deploy points up, an incident is a square. */
const shapes: Readonly<Record<ChartMark['kind'], string>> = {
  deploy: 'M0-9 5 0h-10z',
  incident: 'M-4-8h8v8h-8z',
};

type LayerProps = { box: PlotBox; axis: TimeAxis };

/** Times that are shaded, behind the figures. Their words are in the tooltip and in what the cursor says. */
export function PlotSpans({ box, axis, spans }: LayerProps & { spans: readonly ChartSpan[] }) {
  const place = (at: number) => Math.min(box.width, Math.max(0, xOf(axis, box.width, at)));
  return (
    <Layer box={box}>
      <Stripes />
      {spans
        .filter(({ from, to }) => from < axis.to && to > axis.from)
        .map(({ from, to, kind }) => (
          <rect
            key={`${kind} ${from}`}
            class={`plot-span ${kind}`}
            x={place(from)}
            width={Math.max(2, place(to) - place(from))}
            height={box.height}
          />
        ))}
    </Layer>
  );
}

/** Steps that are not over, behind a veil: their figures still grow. The line to the first of them is none yet. */
export function PlotUnfinished({ box, axis, from }: LayerProps & { from: number }) {
  const x = Math.max(0, xOf(axis, box.width, from));
  return (
    <Layer box={box}>
      <rect class="plot-veil" x={x} width={Math.max(0, box.width - x)} height={box.height} />
      <line class="plot-unfinished" x1={x} x2={x} y2={box.height} />
    </Layer>
  );
}

type MarksProps = LayerProps & {
  marks: readonly ChartMark[];
  limit: { y: number; label: string } | undefined;
};

/** Events and the limit, in front of the figures. */
export function PlotMarks({ box, axis, marks, limit }: MarksProps) {
  return (
    <Layer box={box}>
      {marks
        .filter(({ at }) => at >= axis.from && at <= axis.to)
        .map(({ at, kind, label }) => (
          <g
            key={`${kind} ${at} ${label}`}
            class={`plot-mark ${kind}`}
            transform={`translate(${xOf(axis, box.width, at)} 0)`}
          >
            <line y1={0} y2={box.height} />
            <path transform={`translate(0 ${box.height})`} d={shapes[kind]} />
          </g>
        ))}
      {limit !== undefined && (
        <g class="plot-limit" transform={`translate(0 ${limit.y})`}>
          <line x1={0} x2={box.width} />
          <text x={box.width - 4} y={12}>
            {limit.label}
          </text>
        </g>
      )}
    </Layer>
  );
}

function Layer({ box, children }: { box: PlotBox; children: ComponentChildren }) {
  return (
    <svg
      class="plot-events"
      width={box.width}
      height={box.height}
      aria-hidden="true"
      style={{ left: `${box.left}px`, top: `${box.top}px` }}
    >
      {children}
    </svg>
  );
}

/** Filled in by the styles: every chart of a document defines the same one. */
function Stripes() {
  return (
    <defs>
      <pattern
        id="plot-stripes"
        width="7"
        height="7"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect class="plot-stripe" width="2.5" height="7" />
      </pattern>
    </defs>
  );
}
