import type { Service } from '../../contract/summary.js';
import { Day } from './elements.js';
import type { ViewContext } from './view-context.js';

/** Units of the drawing, which stretches to the available space. */
const height = 100;

/** Milliseconds of each day of the window, oldest first; `undefined` for a day without a measurement. */
type Series = readonly (number | undefined)[];

/**
 * The average response time of each day, in columns of equal width. `data-ms` has the milliseconds of the days, oldest
 * first, separated by commas, and empty for a day without a measurement; `data-from` has the first day.
 */
export function ResponseChart({ context, service, days }: ChartProps) {
  const { averageMs = null, points = [] } = service.responseTime ?? {};
  const series = placePoints(points, days);
  const measured = series.filter((ms) => ms !== undefined);
  if (averageMs === null || measured.length === 0) return null;
  const { texts, format, own } = context;
  const top = niceTop(Math.max(...measured));
  return (
    <details class="response" id={`response-${service.slug}`}>
      <summary {...own}>
        <span class="word">{texts.responseTime}</span> <b>{format.ms(averageMs)}</b>
      </summary>
      <figure data-chart="">
        <figcaption {...own}>{texts.responseTimePerDay}</figcaption>
        <div
          class="plot"
          data-from={days[0]}
          data-ms={series.join(',')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from day to day in it.
          tabIndex={0}
          role="img"
          aria-label={describe(context, measured, averageMs)}
        >
          <svg viewBox={`0 0 ${days.length} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            <path
              class="grid"
              d={`M0 0h${days.length}M0 ${height / 2}h${days.length}M0 ${height}h${days.length}`}
            />
            <path class="line" d={drawLine(series, top)} />
          </svg>
        </div>
        <p class="scale" aria-hidden="true">
          <span>{format.ms(top)}</span>
          <span>{format.ms(top / 2)}</span>
          <span>{format.ms(0)}</span>
        </p>
        <p class="ends" aria-hidden="true">
          <Day context={context} day={days[0] ?? ''} />
          <Day context={context} day={days.at(-1) ?? ''} />
        </p>
      </figure>
    </details>
  );
}
type ChartProps = { context: ViewContext; service: Service; days: readonly string[] };

/** Both are oldest first. */
function placePoints(points: readonly { day: string; averageMs: number }[], days: readonly string[]): Series {
  let next = points.findIndex(({ day }) => day >= (days[0] ?? ''));
  return days.map((day) => {
    const point = points[next];
    if (point?.day !== day) return undefined;
    next += 1;
    return point.averageMs;
  });
}

/** The smallest round number that no value exceeds and whose half is round as well. */
function niceTop(ms: number): number {
  const unit = 10 ** Math.max(1, Math.floor(Math.log10(Math.max(1, ms))));
  return ([1, 2, 3, 4, 6, 8, 10].find((factor) => factor * unit >= ms) ?? 10) * unit;
}

/**
 * One shape for each run of measured days: from the base line up, through the middle of each column, and down again. A
 * run that reaches an edge of the plot continues beyond the edge, where its side is hidden.
 */
function drawLine(series: Series, top: number): string {
  const last = series.length - 1;
  let path = '';
  let previous: number | undefined;
  for (const [at, ms] of series.entries()) {
    if (ms !== undefined) {
      const y = Math.round(height - (ms / top) * height);
      if (previous !== undefined) path += `l1${y < previous ? '' : ' '}${y - previous}`;
      else path += `M${at === 0 ? -1 : at} ${height}V${y}H${at + 0.5}`;
      if (series[at + 1] === undefined) path += `H${at === last ? at + 2 : at + 1}V${height}`;
      previous = y;
    } else previous = undefined;
  }
  return path;
}

function describe({ texts, format }: ViewContext, measured: readonly number[], averageMs: number): string {
  const range = [Math.min(...measured), Math.max(...measured)].map(format.ms).join(' – ');
  return `${texts.responseTimePerDay}: ${texts.average(format.ms(averageMs))}, ${range}`;
}
