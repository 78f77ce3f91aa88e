import { useMemo } from 'preact/hooks';
import type { MonitorPhases, MonitorSeries } from '../../../../../contract/manage/monitor-checks.js';
import { ChartSkeleton, TimeChart } from '../../../kit/chart/time-chart.js';
import { type ChartEvents, type Happenings, useEvents } from '../../../kit/chart/use-events.js';
import { Panel } from '../../../kit/panel.js';
import { Empty, ReadView } from '../../../kit/states.js';
import type { Read } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { monitorsTexts } from '../texts.js';
import { measuredKeys, phaseKeys, phasesOf } from './phases.js';

type PanelProps<Answer> = { read: Read<Answer>; happenings: Happenings };

/** Percentiles of the response time. */
export function ResponsePanel({ read, happenings }: PanelProps<MonitorSeries>) {
  const events = useEvents(happenings, read.data);
  const texts = useTexts(monitorsTexts);
  return (
    <Panel title={texts.responseTime} note={texts.responseTimeWhy}>
      <ReadView
        read={read}
        skeleton={<ChartSkeleton />}
        isEmpty={({ points, keptFrom }) => keptFrom === null && points.every(({ p50Ms }) => p50Ms === null)}
        empty={<NoResponses />}
      >
        {({ step, points, keptFrom, unfinishedFrom }) => (
          <TimeChart
            {...events}
            notes={{ keptFrom, unfinishedFrom }}
            title={texts.responseTime}
            kind="bands"
            unit="ms"
            times={points.map(({ at }) => Date.parse(at))}
            stepSeconds={step}
            series={[
              { key: 'p50', label: texts.p50, values: points.map(({ p50Ms }) => p50Ms) },
              { key: 'p95', label: texts.p95, values: points.map(({ p95Ms }) => p95Ms) },
              { key: 'p99', label: texts.p99, values: points.map(({ p99Ms }) => p99Ms) },
            ]}
          />
        )}
      </ReadView>
    </Panel>
  );
}

/** The phases of the response time. */
export function PhasesPanel({ read, happenings }: PanelProps<MonitorPhases>) {
  const events = useEvents(happenings, read.data);
  const texts = useTexts(monitorsTexts);
  return (
    <Panel title={texts.phases} note={texts.phasesWhy}>
      <ReadView
        read={read}
        skeleton={<ChartSkeleton />}
        isEmpty={({ points, keptFrom }) =>
          keptFrom === null && points.every((point) => measuredKeys.every((key) => point[key] === null))
        }
        empty={
          <Empty title={texts.noPhases}>
            <p>{texts.noPhasesWhy}</p>
          </Empty>
        }
      >
        {(answer) => <PhasesChart answer={answer} events={events} />}
      </ReadView>
    </Panel>
  );
}

function PhasesChart({ answer, events }: { answer: MonitorPhases; events: ChartEvents }) {
  const { step, points } = answer;
  const texts = useTexts(monitorsTexts);
  const series = useMemo(() => {
    const parts = points.map(phasesOf);
    return phaseKeys.flatMap((key) => {
      const values = parts.map((part) => part?.[key] ?? null);
      // A monitor without TLS has no such part.
      if (values.every((value) => value === null || value === 0)) return [];
      return [{ key, label: texts.phaseNames[key], values }];
    });
  }, [points, texts]);
  return (
    <TimeChart
      {...events}
      title={texts.phases}
      notes={answer}
      kind="areas"
      unit="ms"
      times={points.map(({ at }) => Date.parse(at))}
      stepSeconds={step}
      series={series}
    />
  );
}

function NoResponses() {
  const texts = useTexts(monitorsTexts);
  return (
    <Empty title={texts.noResponses}>
      <p>{texts.noResponsesWhy}</p>
    </Empty>
  );
}
