import { figureLimits, type PublicFigure } from '../../../contract/public/public-figures.js';
import { type FigureSeries, seriesOf } from '../../state/figure-scale.js';
import type { ViewContext } from '../view-context.js';
import { FigureChart } from './figure-chart.js';
import { FigureTable } from './figure-table.js';

type Props = { context: ViewContext; figures: readonly PublicFigure[] | null };

/** The figures of requests that a page publishes, as charts and as tables. */
export function Figures({ context, figures }: Props) {
  const { texts, own } = context;
  if (figures?.length === 0) return null;
  return (
    <section class="figures" aria-labelledby="figures">
      <h2 id="figures" {...own}>
        {texts.figures.title}
      </h2>
      {figures === null ? (
        <p class="note" {...own}>
          {texts.figures.unavailable}
        </p>
      ) : (
        <ul class="service-list">
          {figures.map((figure, at) => (
            <Figure key={at} context={context} figure={figure} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Figure({ context, figure }: { context: ViewContext; figure: PublicFigure }) {
  const { texts, own, view } = context;
  const series = seriesOf(figure);
  const { language, brand } = view;
  return (
    <li class="service figure">
      <div class="service-head">
        <h3 dir="auto" lang={language === brand.defaultLanguage ? undefined : brand.defaultLanguage}>
          {figure.title}
        </h3>
        <span class="uptime" {...own}>
          {texts.figures.windows[figure.window]}
        </span>
      </div>
      {series.length === 0 ? (
        <p class="note" {...own}>
          {texts.figures.none({ count: figureLimits.requestsMin })}
        </p>
      ) : (
        <Charts context={context} figure={figure} series={series} />
      )}
    </li>
  );
}

type ChartsProps = { context: ViewContext; figure: PublicFigure; series: readonly FigureSeries[] };

function Charts({ context, figure, series }: ChartsProps) {
  const { texts, own } = context;
  const hasGap = series.some(({ values, known }) => known.length < values.length);
  return (
    <div {...own}>
      <div class="small-charts">
        {series.map((one) => (
          <FigureChart key={one.kind} context={context} figure={figure} series={one} />
        ))}
      </div>
      <details class="as-table">
        <summary>{texts.figures.asTable}</summary>
        <FigureTable context={context} figure={figure} series={series} />
        {hasGap && <p class="note">{texts.figures.gap({ count: figureLimits.requestsMin })}</p>}
      </details>
    </div>
  );
}
