import type { ResponseRange, ResponseTimes } from '../../../contract/public/response-times.js';
import type { Service } from '../../../contract/public/summary.js';
import { hourMs } from '../../../lib/times.js';
import {
  drawSeries,
  listTicks,
  niceTop,
  plotHeight,
  type Span,
  stepWidth,
  type Values,
} from '../../state/chart-shape.js';
import { fillMessage } from '../../texts/fill-text.js';
import type { ViewContext } from '../view-context.js';

type ChartProps = {
  context: ViewContext;
  service: Service;
  responseTimes: ResponseTimes;
  /** Days that the page shows; a longer range would show nothing more. */
  historyDays: number;
};

/** The drawing shows the range from the first measurement on. The last step may not be over. */
type Plot = Span & { averages: Values; percentiles: Values; top: number; lastIsRunning: boolean };

/** The response times of a service over a range, to be unfolded, with links to the other ranges. */
export function ResponseChart({ context, service, responseTimes, historyDays }: ChartProps) {
  const { texts, format, own } = context;
  const times = responseTimes.services.find(({ slug }) => slug === service.slug);
  const averageMs = times?.averageMs ?? service.responseTime?.averageMs ?? null;
  if (times === undefined || averageMs === null) return null;
  const plot = openPlot(responseTimes, times.points);
  return (
    <details class="response" id={`response-${service.slug}`}>
      <summary {...own}>
        <span>
          {texts.responseTime} <b>{format.ms(averageMs)}</b>
        </span>
      </summary>
      <figure id={`chart-${service.slug}`} data-chart={responseTimes.range} {...own}>
        <figcaption>
          <Key context={context} kind="average" ms={times.averageMs} />
          {plot?.percentiles.some((ms) => ms !== null) && (
            <Key context={context} kind="p95" ms={times.p95Ms} />
          )}
        </figcaption>
        <Ranges context={context} slug={service.slug} shown={responseTimes.range} historyDays={historyDays} />
        {plot === undefined ? (
          <p class="nothing">{texts.chart.nothing}</p>
        ) : (
          <Drawing
            context={context}
            plot={plot}
            label={describe(context, responseTimes.range, [times.averageMs, times.p95Ms])}
          />
        )}
      </figure>
    </details>
  );
}

type Points = ResponseTimes['services'][number]['points'];

/** Returns `undefined` when nothing was measured. */
function openPlot(
  { from, stepSeconds, unfinishedFrom }: ResponseTimes,
  { averageMs, p95Ms }: Points,
): Plot | undefined {
  const first = averageMs.findIndex((ms) => ms !== null);
  if (first === -1) return undefined;
  const stepMs = stepSeconds * 1000;
  const averages = averageMs.slice(first);
  const percentiles = p95Ms.slice(first);
  const top = niceTop(Math.max(...[...averages, ...percentiles].map((ms) => ms ?? 0)));
  return {
    from: Date.parse(from) + first * stepMs,
    steps: averages.length,
    stepMs,
    averages,
    percentiles,
    top,
    lastIsRunning: unfinishedFrom !== null,
  };
}

/** The meaning of a line, and its figure for the whole range. */
function Key({ context, kind, ms }: { context: ViewContext; kind: 'average' | 'p95'; ms: number | null }) {
  const figure = ms !== null && <b>{context.format.ms(ms)}</b>;
  return <span class={kind}>{fillMessage(context.texts.chart[kind], { ms: figure })}</span>;
}

const lengths = {
  '24h': [24, 'hour'],
  '7d': [7, 'day'],
  '30d': [30, 'day'],
  '90d': [90, 'day'],
} as const satisfies Record<ResponseRange, readonly [number, 'hour' | 'day']>;

function nameRange({ format }: ViewContext, range: ResponseRange, form: 'long' | 'narrow'): string {
  const [length, unit] = lengths[range];
  return format.span(length, unit, form);
}

type RangesProps = { context: ViewContext; slug: string; shown: ResponseRange; historyDays: number };

/** Links, so that they work without scripts; the fragment is inside of the details, which browsers unfold for it. */
function Ranges({ context, slug, shown, historyDays }: RangesProps) {
  const offered = (['24h', '7d', '30d', '90d'] as const).filter(
    (range) => (range !== '30d' || historyDays > 7) && (range !== '90d' || historyDays > 30),
  );
  return (
    <ul class="ranges" aria-label={context.texts.chart.ranges}>
      {offered.map((range) => (
        <li key={range}>
          <a
            href={`?range=${range}#chart-${slug}`}
            data-range={range}
            aria-current={range === shown ? 'true' : undefined}
            title={nameRange(context, range, 'long')}
          >
            {nameRange(context, range, 'narrow')}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The last step, and the line that leads to it from the middle of the one before. */
const lastWidth = 1.5 * stepWidth;

/**
 * The script reads the drawing: `data-from` has the first step since 1970 and `data-step` its length in hours,
 * `data-average` and `data-p95` the milliseconds of all steps, separated by commas, empty where there is none.
 */
function Drawing({ context, plot, label }: { context: ViewContext; plot: Plot; label: string }) {
  const { format } = context;
  const { from, steps, stepMs, averages, percentiles, top, lastIsRunning } = plot;
  const width = steps * stepWidth;
  const average = drawSeries(averages, top);
  const p95 = drawSeries(percentiles, top);
  return (
    <>
      <div
        class="plot"
        data-plot={from / stepMs}
        data-step={stepMs / hourMs}
        data-top={top}
        data-average={averages.join(',')}
        data-p95={percentiles.join(',')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from step to step in it.
        tabIndex={0}
        role="img"
        aria-label={label}
      >
        <svg
          class="lines"
          viewBox={`0 0 ${width} ${plotHeight}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path class="grid" d={`M0 0h${width}M0 ${plotHeight / 2}h${width}M0 ${plotHeight}h${width}`} />
          {average.area !== '' && <path class="area" d={average.area} />}
          {p95.line !== '' && <path class="p95" d={p95.line} />}
          {p95.dots !== '' && <path class="p95 dots" d={p95.dots} />}
          {average.line !== '' && <path class="average" d={average.line} />}
          {average.dots !== '' && <path class="average dots" d={average.dots} />}
          {lastIsRunning && (
            <path
              class="running"
              d={`M${width - lastWidth} 0h${lastWidth}v${plotHeight}H${width - lastWidth}z`}
            />
          )}
        </svg>
        <Ticks context={context} plot={plot} />
      </div>
      <p class="scale" aria-hidden="true">
        <span>{format.ms(top)}</span>
        <span>{format.ms(top / 2)}</span>
        <span>{format.ms(0)}</span>
      </p>
    </>
  );
}

/** The script moves ticks of hours to round times of the viewer's zone: `data-every` has the hours between them. */
function Ticks({ context: { format }, plot }: { context: ViewContext; plot: Plot }) {
  const { everyMs, ticks } = listTicks(plot);
  const isHours = plot.stepMs === hourMs;
  return (
    <svg class="ticks" aria-hidden="true" data-every={isHours ? everyMs / hourMs : undefined}>
      {ticks.map(({ at, share, form }) => (
        <text
          key={at}
          x={`${Math.round((format.direction === 'rtl' ? 1 - share : share) * 1000) / 10}%`}
          y="1em"
          text-anchor={share < 0.02 ? 'start' : share > 0.98 ? 'end' : undefined}
          data-hour={isHours ? at / hourMs : undefined}
        >
          {format.tick[form](at)}
        </text>
      ))}
    </svg>
  );
}

/** Such as `Response time, 24 hours: Average 98 ms, 95th percentile 210 ms`. */
function describe(
  context: ViewContext,
  range: ResponseRange,
  [averageMs, p95Ms]: readonly [number | null, number | null],
): string {
  const { texts, format } = context;
  const figures = [
    ...(averageMs === null ? [] : [texts.chart.average({ ms: format.ms(averageMs) })]),
    ...(p95Ms === null ? [] : [texts.chart.p95({ ms: format.ms(p95Ms) })]),
  ];
  return `${texts.responseTime}, ${nameRange(context, range, 'long')}: ${figures.join(', ')}`;
}
