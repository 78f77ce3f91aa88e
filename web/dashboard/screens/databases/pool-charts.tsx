import type { DatabaseHealthAnswer, PoolPoint } from '../../../../contract/database-health.js';
import { useFormat } from '../../format.js';
import type { ChartSeries } from '../../kit/chart/model.js';
import { ChartSkeleton, TimeChart, type TimeChartProps } from '../../kit/chart/time-chart.js';
import { type ChartEvents, useEvents } from '../../kit/chart/use-events.js';
import { Panel } from '../../kit/panel.js';
import { ReadView } from '../../kit/states.js';
import type { Read } from '../../reads/use-read.js';
import { useTexts } from '../../texts.js';
import { percentileText } from './pools-panel.js';
import { heightOf } from './summary.js';
import { databasesTexts } from './texts.js';
import type { DatabaseReads } from './use-databases.js';

/** More lines than that are not told apart. */
const linesMax = 6;

/** The chosen pools over time. */
export function PoolCharts({ all, groups, happenings }: DatabaseReads) {
  const texts = useTexts(databasesTexts);
  const [events, eventsOfAll] = [useEvents(happenings, groups.data), useEvents(happenings, all.data)];
  return (
    <div class="split">
      <GroupChart
        {...{ read: groups, events }}
        title={texts.utilisation}
        unit="share"
        pick={({ utilisation }) => utilisation}
      />
      <GroupChart
        {...{ read: groups, events }}
        title={texts.waitingChart}
        unit="count"
        pick={({ peakWaiting }) => peakWaiting}
      />
      <PercentileChart read={all} events={eventsOfAll} />
      <GroupChart
        {...{ read: groups, events }}
        title={texts.failuresChart}
        unit="count"
        kind="bars"
        pick={({ failures }) => failures}
      />
    </div>
  );
}

type GroupChartProps = Pick<TimeChartProps, 'title' | 'unit' | 'kind'> & {
  read: Read<DatabaseHealthAnswer>;
  events: ChartEvents;
  pick(point: PoolPoint): number | null;
};

/** One line, or one part of the bars, for each of the largest groups. */
function GroupChart({ read, events, title, pick, ...chart }: GroupChartProps) {
  const texts = useTexts(databasesTexts);
  const { count } = useFormat();
  const isCut = (read.data?.series.length ?? 0) > linesMax;
  return (
    <Panel title={title} note={isCut ? texts.largest({ count: count(linesMax) }) : undefined}>
      <ReadView read={read} skeleton={<ChartSkeleton />} isEmpty={hasNoPools} empty={<NoPools />}>
        {({ series, step, keptFrom, unfinishedFrom }) => (
          <TimeChart
            {...{ ...chart, ...events }}
            notes={{ keptFrom, unfinishedFrom }}
            title={title}
            times={timesOf(series[0]?.points)}
            stepSeconds={step}
            series={series.slice(0, linesMax).map(
              ({ group, points }): ChartSeries => ({
                ...{ key: group ?? '', label: group ?? '', values: points.map(pick) },
              }),
            )}
          />
        )}
      </ReadView>
    </Panel>
  );
}

const percentiles = [
  { key: 'p50', field: 'p50Ms', colour: '1' },
  { key: 'p95', field: 'p95Ms', colour: '3' },
  { key: 'p99', field: 'p99Ms', colour: '4' },
] as const;

function PercentileChart({ read, events }: Pick<GroupChartProps, 'read' | 'events'>) {
  const texts = useTexts(databasesTexts);
  const format = useFormat();
  const noteOf = (point: PoolPoint | undefined): string | undefined => {
    if (point?.coverage === null) return undefined;
    if (point?.coverage === 'partial') return texts.partial;
    return point?.thin === true ? texts.thin : undefined;
  };
  return (
    <Panel title={texts.waitTimes} note={texts.waitTimesNote}>
      <ReadView read={read} skeleton={<ChartSkeleton />} isEmpty={hasNoPools} empty={<NoPools />}>
        {({ series: [first], step, keptFrom, unfinishedFrom }) => (
          <TimeChart
            {...events}
            notes={{ keptFrom, unfinishedFrom }}
            title={texts.waitTimes}
            kind="bands"
            unit="ms"
            scale="log"
            times={timesOf(first?.points)}
            stepSeconds={step}
            series={percentiles.map(({ key, field, colour }) => ({
              ...{
                key,
                label: key,
                colour,
                values: (first?.points ?? []).map((point) => heightOf(point[field])),
              },
              text: (_, i) => percentileText(first?.points[i]?.[field] ?? null, texts, format) ?? '',
            }))}
            noteAt={(i) => noteOf(first?.points[i])}
          />
        )}
      </ReadView>
    </Panel>
  );
}

/** Takes the place of a chart without any report. */
export function NoPools() {
  const { noPools } = useTexts(databasesTexts);
  return <p class="note no-pools">{noPools}</p>;
}

/** Whether no step of the range has a report, as far as it is kept. */
export function hasNoPools({ series, keptFrom }: DatabaseHealthAnswer): boolean {
  return (
    series.length === 0 ||
    (keptFrom === null && series.every(({ points }) => points.every(({ coverage }) => coverage === null)))
  );
}

function timesOf(points: readonly PoolPoint[] = []): number[] {
  return points.map(({ at }) => Date.parse(at));
}
