import type { FigureKind, PublicFigure } from '../../../contract/public/public-figures.js';
import { drawSeries, plotHeight, stepWidth } from '../../state/chart-shape.js';
import type { FigureSeries } from '../../state/figure-scale.js';
import { Time } from '../elements.js';
import type { ViewContext } from '../view-context.js';

/** The name of what a figure shows; requests are those of a step. */
export function nameKind({ texts }: ViewContext, kind: FigureKind, { stepSeconds }: PublicFigure): string {
  return kind === 'requests' ? texts.figures.requests({ hours: stepSeconds / 3_600 }) : texts.figures[kind];
}

/** A value as readers see it. */
export function writeValue({ format }: ViewContext, kind: FigureKind, value: number): string {
  if (kind === 'p95') return format.ms(value);
  return kind === 'requests' ? format.count(value) : format.percent(value);
}

type Props = { context: ViewContext; figure: PublicFigure; series: FigureSeries };

/** One line with its last value, and between which values it was; the table has all of them. */
export function FigureChart({ context, figure, series }: Props) {
  const { kind, values, known, bottom, top } = series;
  const { texts } = context;
  const write = (value: number) => writeValue(context, kind, value);
  const name = nameKind(context, kind, figure);
  const last = write(known.at(-1) ?? bottom);
  const [low, high] = [write(Math.min(...known)), write(Math.max(...known))];
  const span = low === high ? texts.figures.always({ value: low }) : texts.figures.between({ low, high });
  const label = texts.figures.label({ name, window: texts.figures.windows[figure.window], last, span });
  const width = values.length * stepWidth;
  const { line, area, dots } = drawSeries(
    values.map((value) => (value === null ? null : value - bottom)),
    top - bottom,
  );
  return (
    <figure>
      <figcaption>
        {name}
        <span>
          <b>{last}</b> <span aria-hidden="true">{span}</span>
        </span>
      </figcaption>
      <div role="img" aria-label={label}>
        <svg
          class="lines"
          viewBox={`0 0 ${width} ${plotHeight}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path class="grid" d={`M0 0h${width}M0 ${plotHeight}h${width}`} />
          {area !== '' && <path class="area" d={area} />}
          {line !== '' && <path class="average" d={line} />}
          {dots !== '' && <path class="average dots" d={dots} />}
        </svg>
      </div>
      <p class="ends" aria-hidden="true">
        <Time context={context} at={figure.from} form="moment" />
        <Time context={context} at={figure.to} form="moment" />
      </p>
    </figure>
  );
}
