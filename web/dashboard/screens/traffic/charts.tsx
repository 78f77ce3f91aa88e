import { useMemo } from 'preact/hooks';
import type { RequestsAnswer } from '../../../../contract/analytics/requests.js';
import { searchOf } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import type { ChartColour, ChartLevel, ChartSeries } from '../../kit/chart/model.js';
import type { TimeChartProps } from '../../kit/chart/props.js';
import { ChartSkeleton, TimeChart } from '../../kit/chart/time-chart.js';
import type { ChartEvents } from '../../kit/chart/use-events.js';
import type { ShareLimits } from '../../kit/error-share.js';
import { Panel } from '../../kit/panel.js';
import { ReadView } from '../../kit/states.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import type { Filters } from './place.js';
import { besideNow, type TrafficSeries, toTrafficSeries } from './series.js';
import { type TrafficTexts, trafficTexts } from './texts.js';

type TrafficChartsProps = {
  /** The requests that the charts show, which a rule made of one looks at. */
  filters: Filters;
  read: Read<RequestsAnswer>;
  /** The period before, drawn beside. */
  before: Read<RequestsAnswer>;
  events: ChartEvents;
};

const heightPx = 208;

/** Rates by class of status, the share of errors, and response times over time. */
export function TrafficCharts({ filters, read, before, events }: TrafficChartsProps) {
  const texts = useTexts(trafficTexts).charts;
  const now = useSeriesOf(read);
  // The answer to another period would stand beside the wrong times.
  const isOlder = read.isOlder || before.isOlder;
  const earlier = useSeriesOf(isOlder ? { ...before, data: undefined } : before);
  const limits = useShareLimits();
  const shareWords = useShareWords();
  const format = useFormat();
  const lines = useMemo(
    () => (now === undefined ? undefined : linesOf(now, earlier, { texts, limits })),
    [now, earlier, texts, limits],
  );
  // Far below it, the line would only flatten the others.
  const isNear = Math.max(0, ...(now?.errorShare ?? []).map((share) => share ?? 0)) >= limits.warn;
  const limit = isNear
    ? { value: limits.bad, label: texts.redFrom({ share: format.share(limits.bad) }) }
    : undefined;
  const draw = (
    title: string,
    name: keyof Lines,
    further: Pick<TimeChartProps, 'kind' | 'unit' | 'limit'>,
    note?: string,
  ) => (
    <Panel title={title} note={note} actions={<MakeRule kind={ruleKinds[name]} filters={filters} />}>
      <ReadView read={read} skeleton={<ChartSkeleton height={heightPx} />}>
        {() =>
          now !== undefined &&
          lines !== undefined && (
            <TimeChart
              {...{ title, ...further, ...events }}
              notes={read.data}
              times={now.at}
              stepSeconds={now.stepMs / 1000}
              series={lines[name]}
              height={heightPx}
            />
          )
        }
      </ReadView>
    </Panel>
  );
  return (
    <div class="chart-row">
      {draw(texts.rate, 'rate', { kind: 'areas', unit: 'perSecond' })}
      {draw(texts.share, 'share', { kind: 'lines', unit: 'share', limit }, shareWords)}
      {draw(texts.time, 'time', { kind: 'bands', unit: 'ms' })}
    </div>
  );
}

/** The kind of rule that looks at the figures of a chart. */
const ruleKinds = { rate: 'traffic', share: 'failure-rate', time: 'latency' } as const;

type MakeRuleProps = { kind: (typeof ruleKinds)[keyof typeof ruleKinds]; filters: Filters };

/** Leads to the form of a rule about the requests of a chart, with a threshold from what was measured. */
function MakeRule({ kind, filters: { service, endpoint, method } }: MakeRuleProps) {
  const { slug, may } = usePage();
  const { makeRule } = useTexts(trafficTexts).charts;
  if (!may('rules.write')) return null;
  const search = searchOf({ new: kind, service, endpoint, method, suggest: '1' });
  return (
    <a class="button small" href={pathOfScreen(slug, 'rules') + search}>
      {makeRule}
    </a>
  );
}

/** The lines of an answer; the same ones until another answer comes. */
function useSeriesOf({ data, asOf, at }: Read<RequestsAnswer>): TrafficSeries | undefined {
  return useMemo(
    () => (data === undefined ? undefined : toTrafficSeries(data, asOf ?? at ?? Date.now())),
    // A repeated answer without changes has another time, and the same lines.
    [data],
  );
}

/** The colours of shares of errors. */
function levelsOf({ warn, bad }: ShareLimits): ChartLevel[] {
  return [
    { from: 0, colour: 'info' },
    { from: warn, colour: 'warn' },
    { from: bad, colour: 'bad' },
  ];
}

type Lines = Readonly<Record<'rate' | 'share' | 'time', readonly ChartSeries[]>>;

function linesOf(
  now: TrafficSeries,
  earlier: TrafficSeries | undefined,
  { texts, limits }: { texts: TrafficTexts['charts']; limits: ShareLimits },
): Lines {
  const beside = (
    key: keyof Omit<TrafficSeries, 'at' | 'stepMs'>,
    label: string,
    colour: ChartColour,
  ): ChartSeries[] => {
    const values = besideNow(now, earlier, (series) => series[key]);
    if (values === undefined) return [];
    return [{ key: `${key} before`, label: texts.before({ name: label }), values, colour, isBeside: true }];
  };
  return {
    // Failures stand on the ground of the stack, where a small share of them is seen best.
    rate: [
      { key: 'errors', label: texts.errors, values: now.errors, colour: 'bad' },
      { key: 'clientErrors', label: texts.clientErrors, values: now.clientErrors, colour: 'warn' },
      { key: 'successes', label: texts.successes, values: now.successes, colour: 'info' },
      ...beside('requests', texts.all, 'none'),
    ],
    share: [
      {
        key: 'errorShare',
        label: texts.errors,
        values: now.errorShare,
        colour: 'info',
        levels: levelsOf(limits),
      },
      ...beside('errorShare', texts.errors, 'none'),
    ],
    time: [
      { key: 'p50', label: 'p50', values: now.p50, colour: '1' },
      { key: 'p95', label: 'p95', values: now.p95, colour: '2' },
      { key: 'p99', label: 'p99', values: now.p99, colour: '4' },
      ...beside('p95', 'p95', 'none'),
    ],
  };
}
