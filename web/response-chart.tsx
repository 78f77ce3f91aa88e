import type { Service } from '../contract/summary.js';
import type { PageContext } from './page-context.js';
import { Day } from './time.js';

/** Units of the drawing, which is stretched to the room that there is. */
const height = 100;

/** A measured day: its place in the window, and its average. */
type Point = { at: number; ms: number };

/**
 * The average response time of each day, in columns of equal width. `data-ms` has the milliseconds of the days, oldest
 * first, separated by commas, nothing where nothing was measured; `data-from` is the first day.
 */
export function ResponseChart({ page, service, days }: ChartProps) {
  const average = service.responseTime?.averageMs ?? null;
  const byDay = new Map(service.responseTime?.points.map(({ day, averageMs }) => [day, averageMs]));
  const points = days.flatMap((day, at): Point[] => {
    const ms = byDay.get(day);
    return ms === undefined ? [] : [{ at, ms }];
  });
  if (average === null || points.length === 0) return null;
  const { texts, format, own } = page;
  const top = niceTop(Math.max(...points.map(({ ms }) => ms)));
  return (
    <details class="response" id={`response-${service.slug}`}>
      <summary {...own}>
        <span class="word">{texts.responseTime}</span> <b>{format.ms(average)}</b>
      </summary>
      <figure data-chart="">
        <figcaption {...own}>{texts.responseTimePerDay}</figcaption>
        <div
          class="plot"
          data-from={days[0]}
          data-ms={days.map((day) => byDay.get(day) ?? '').join(',')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from day to day in it.
          tabIndex={0}
          role="img"
          aria-label={describe(page, points, average)}
        >
          <svg viewBox={`0 0 ${days.length} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            <path
              class="grid"
              d={`M0 0h${days.length}M0 ${height / 2}h${days.length}M0 ${height}h${days.length}`}
            />
            <path class="line" d={drawLine(points, top, days.length)} />
          </svg>
        </div>
        <p class="scale" aria-hidden="true">
          <span>{format.ms(top)}</span>
          <span>{format.ms(top / 2)}</span>
          <span>{format.ms(0)}</span>
        </p>
        <p class="ends" aria-hidden="true">
          <Day page={page} day={days[0] ?? ''} />
          <Day page={page} day={days.at(-1) ?? ''} />
        </p>
      </figure>
    </details>
  );
}
type ChartProps = { page: PageContext; service: Service; days: readonly string[] };

/** The next round number that nothing is above, of which the half is round, too. */
function niceTop(ms: number): number {
  const unit = 10 ** Math.max(1, Math.floor(Math.log10(Math.max(1, ms))));
  return ([1, 2, 3, 4, 6, 8, 10].find((factor) => factor * unit >= ms) ?? 10) * unit;
}

/**
 * One shape for each run of measured days, from the base line up, through the middle of each column and down again. A
 * run that reaches an edge of the plot goes beyond it, where its side cannot be seen.
 */
function drawLine(points: readonly Point[], top: number, days: number): string {
  const y = (ms: number) => Math.round(height - (ms / top) * height);
  let path = '';
  for (const [index, { at, ms }] of points.entries()) {
    const before = points[index - 1];
    if (before?.at === at - 1) path += `l1 ${y(ms) - y(before.ms)}`;
    else path += `M${at === 0 ? -1 : at} ${height}V${y(ms)}H${at + 0.5}`;
    if (points[index + 1]?.at !== at + 1) path += `H${at === days - 1 ? days + 1 : at + 1}V${height}`;
  }
  return path;
}

function describe({ texts, format }: PageContext, points: readonly Point[], average: number): string {
  const all = points.map(({ ms }) => ms);
  const range = [Math.min(...all), Math.max(...all)].map(format.ms).join(' – ');
  return `${texts.responseTimePerDay}: ${texts.average(format.ms(average))}, ${range}`;
}
