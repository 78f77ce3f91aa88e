import { useMemo } from 'preact/hooks';
import type { RequestsAnswer } from '../../../../../contract/analytics/requests.js';
import type { ManagedAlert } from '../../../../../contract/manage/alerts.js';
import type { MonitorSeries } from '../../../../../contract/manage/monitor-checks.js';
import type { ManagedObjective } from '../../../../../contract/manage/objectives.js';
import type { Range } from '../../../address/range.js';
import { useFormat } from '../../../format.js';
import type { ChartNotes } from '../../../kit/chart/kept.js';
import type { TimeChartProps } from '../../../kit/chart/props.js';
import { ChartSkeleton, TimeChart } from '../../../kit/chart/time-chart.js';
import { useEvents, useHappenings } from '../../../kit/chart/use-events.js';
import { Panel } from '../../../kit/panel.js';
import { Empty, ReadView } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { alertsTexts } from '../texts.js';
import { courseOf, rangeAround, requestFilters } from './course.js';

const heightPx = 232;
const everyMs = 30_000;

type AlertProps = { alert: ManagedAlert };

/** The figure of an alert over the time around its start, for the kinds that have a course. */
export function Series({ alert }: AlertProps) {
  const { slug } = usePage();
  const { rule, subject } = alert;
  const path = `/objectives/${encodeURIComponent(subject.objective ?? '')}`;
  const objective = useRead<ManagedObjective>(
    rule.kind === 'burn-rate' && subject.objective !== undefined ? pagePath(slug, path) : undefined,
  );
  switch (rule.kind) {
    case 'failure-rate':
    case 'latency':
    case 'traffic':
      return <RequestsCourse alert={alert} />;
    case 'burn-rate': {
      const { sli, target } = objective.data ?? {};
      if (sli === undefined) return null;
      if ('monitor' in sli) return <ChecksCourse alert={alert} monitor={sli.monitor.slug} />;
      return <RequestsCourse alert={{ ...alert, subject: sli.requests }} objective={target} />;
    }
    case 'monitor':
      // A certificate has an end and no course.
      if (subject.monitor === undefined || alert.threshold !== null) return null;
      return <ChecksCourse alert={alert} monitor={subject.monitor} />;
    default:
      return null;
  }
}

/** The range moves with the time while the alert is open. */
function useAround(alert: ManagedAlert): { range: Range; isOpen: boolean } {
  const minute = Math.floor(Date.now() / 60_000);
  const range = useMemo(
    () => rangeAround(alert, Date.now()),
    [alert.startedAt, alert.resolvedAt, alert.rule.condition, minute],
  );
  return { range, isOpen: alert.resolvedAt === null };
}

function RequestsCourse({ alert, objective }: AlertProps & { objective?: number | undefined }) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { slug } = usePage();
  const { range, isOpen } = useAround(alert);
  const query = { ...range, ...requestFilters(alert) };
  const read = useRead<RequestsAnswer>(pagePath(slug, '/analytics/requests', query), {
    everyMs: isOpen ? everyMs : undefined,
  });
  const course = useMemo(
    () => read.data && courseOf(alert, read.data, { asOf: read.asOf ?? read.at ?? Date.now(), objective }),
    [read.data, objective],
  );
  const minutes = alert.rule.condition?.windowMinutes ?? alert.rule.condition?.longMinutes;
  const step = read.data === undefined ? '' : format.span(read.data.step);
  const note =
    minutes === undefined
      ? texts.seriesStep({ step })
      : texts.seriesWhy({ step, window: format.span(minutes * 60) });
  return (
    <CoursePanel
      {...{ alert, range, read, service: alert.subject.service }}
      note={read.data === undefined ? undefined : note}
      chart={
        course && {
          ...{ unit: course.unit, times: course.times, limit: course.limit },
          label: course.name === 'share' || course.name === 'rate' ? texts[course.name] : course.name,
          values: course.values,
        }
      }
    />
  );
}

function ChecksCourse({ alert, monitor }: AlertProps & { monitor: string }) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { slug } = usePage();
  const { range, isOpen } = useAround(alert);
  const read = useRead<MonitorSeries>(
    pagePath(slug, `/monitors/${encodeURIComponent(monitor)}/series`, range),
    { everyMs: isOpen ? everyMs : undefined },
  );
  const points = read.data?.points;
  return (
    <CoursePanel
      {...{ alert, range, read, service: undefined }}
      note={read.data && texts.seriesStep({ step: format.span(read.data.step) })}
      chart={
        points && {
          ...{ unit: 'share', limit: undefined, label: texts.failedChecks },
          times: points.map(({ at }) => Date.parse(at)),
          values: points.map(({ checks, failed }) =>
            checks === null || failed === null || checks === 0 ? null : failed / checks,
          ),
        }
      }
    />
  );
}

type Drawn = Pick<TimeChartProps, 'unit' | 'times'> & {
  label: string;
  values: readonly (number | null)[];
  limit: number | undefined;
};

type CourseProps = AlertProps & {
  range: Range;
  read: Read<{ step: number; from: string; to: string } & ChartNotes>;
  service: string | undefined;
  note: string | undefined;
  chart: Drawn | undefined;
};

/** Draws a course with the alert shaded, deployments and incidents. */
function CoursePanel({ alert, range, read, service, note, chart }: CourseProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { slug } = usePage();
  const events = useEvents(useHappenings(slug, range, service), read.data);
  const { startedAt, resolvedAt } = alert;
  const span = {
    from: Date.parse(startedAt),
    to: resolvedAt === null ? Date.parse(range.to) : Date.parse(resolvedAt),
    ...{ label: texts.alertLasted, kind: 'incident' as const },
  };
  return (
    <Panel title={texts.series} note={note}>
      <ReadView
        read={read}
        skeleton={<ChartSkeleton height={heightPx} />}
        isEmpty={() => chart?.values.every((value) => value === null) !== false}
        empty={
          <Empty title={texts.noSeries}>
            <p>{texts.noSeriesWhy}</p>
          </Empty>
        }
      >
        {({ step, unfinishedFrom }) =>
          chart !== undefined && (
            <TimeChart
              {...{ title: chart.label, kind: 'lines', unit: chart.unit, height: heightPx }}
              times={chart.times}
              stepSeconds={step}
              notes={{ keptFrom: null, unfinishedFrom }}
              marks={[...events.marks, { at: span.from, label: texts.alertBegan, kind: 'incident' as const }]}
              shaded={[...events.shaded, span]}
              series={[{ key: 'value', label: chart.label, values: chart.values, colour: 'info' }]}
              limit={
                chart.limit === undefined
                  ? undefined
                  : {
                      value: chart.limit,
                      label: texts.limit({ value: limitText(chart.unit, chart.limit, format) }),
                    }
              }
            />
          )
        }
      </ReadView>
    </Panel>
  );
}

function limitText(unit: Drawn['unit'], limit: number, format: ReturnType<typeof useFormat>): string {
  return format[unit](limit);
}
