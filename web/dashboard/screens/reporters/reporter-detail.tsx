import type {
  CallsAnswer,
  ReporterHealth,
  ReportersAnswer,
} from '../../../../contract/analytics/reporters.js';
import type { RequestsAnswer } from '../../../../contract/analytics/requests.js';
import { pollMsOf } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { EventsNote } from '../../kit/chart/events-note.js';
import { ChartSkeleton, TimeChart } from '../../kit/chart/time-chart.js';
import { type Happenings, useEvents, useHappenings } from '../../kit/chart/use-events.js';
import { type CountedPoint, isCounted } from '../../kit/counted-steps.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { pathOfScreen } from '../../shell/screens.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { ForgetReporter } from './forget-reporter.js';
import { Health } from './health.js';
import { instancesIn } from './instances.js';
import { InstancesPanel } from './instances-panel.js';
import { reportersTexts } from './texts.js';

type DetailProps = {
  read: Read<ReportersAnswer>;
  id: string;
  /** Services and reporters may have the same name; the first of them without it. */
  kind: string | undefined;
};

/** One reporter: its state in a sentence, and its calls and requests over time. */
export function ReporterDetail({ read, id, kind }: DetailProps) {
  const texts = useTexts(reportersTexts);
  const { screens } = useTexts(shellTexts);
  const { slug, may } = usePage();
  const { path, to, choose, range } = useAddress();
  const isIt = (one: ReporterHealth) => one.id === id && (kind === undefined || one.kind === kind);
  const known = read.data?.reporters.find(isIt);
  const instances = known === undefined ? [] : instancesIn(read.data?.reporters ?? [], known);
  const service = known?.service ?? id;
  const requests = useRangeRead<RequestsAnswer>('requests', { service });
  const happenings = useHappenings(slug, range, service);
  const forgotten = () => {
    read.retry();
    choose({ reporter: undefined, kind: undefined });
  };
  return (
    <Screen
      title={known?.name ?? id}
      crumbs={[
        { title: screens.reporters, href: to(path) },
        ...(service === id
          ? []
          : [{ title: service, href: to(path, { reporter: service, kind: 'service' }) }]),
      ]}
      hasRange
      stepSeconds={requests.data?.step}
      actions={
        <>
          <a class="button small" href={to(pathOfScreen(slug, 'traffic'), { service })}>
            <Icon name="traffic" />
            {texts.traffic}
          </a>
          {known !== undefined && may('monitors.write') && (
            <ForgetReporter reporter={known} onForgotten={forgotten} />
          )}
        </>
      }
    >
      <ReadView
        read={read}
        skeleton={<Skeleton height={120} />}
        isEmpty={({ reporters }) => !reporters.some(isIt)}
        empty={
          <Empty title={texts.unknownReporter} level={2}>
            <p>{texts.unknownWhy}</p>
            <a class="button small" href={to(path)}>
              {texts.toReporters}
            </a>
          </Empty>
        }
      >
        {() => known !== undefined && <Health reporter={known} instances={instances} />}
      </ReadView>
      {instances.length > 0 && <InstancesPanel instances={instances} />}
      <EventsNote {...happenings} />
      {instances.length === 0 && <CallsPanel {...{ id, happenings }} kind={known?.kind ?? kind} />}
      <RequestsPanel
        title={service === id ? texts.requestsChart : texts.requestsChartOf({ service })}
        read={requests}
        happenings={happenings}
      />
    </Screen>
  );
}

/** Reads of the range follow it as long as it moves. */
function useRangeRead<Answer>(name: string, query: Readonly<Record<string, string>>): Read<Answer> {
  const { slug } = usePage();
  const { range } = useAddress();
  const everyMs = pollMsOf(range, Date.now());
  return useRead<Answer>(pagePath(slug, `/analytics/${name}`, { ...range, ...query }), { everyMs });
}

type CallsProps = { id: string; kind: string | undefined; happenings: Happenings };

function CallsPanel({ id, kind, happenings }: CallsProps) {
  const texts = useTexts(reportersTexts);
  const read = useRangeRead<CallsAnswer>('calls', { reporter: id });
  const events = useEvents(happenings, read.data);
  const pointsOf = ({ reporters }: CallsAnswer) =>
    reporters.find((one) => kind === undefined || one.kind === kind)?.points ?? [];
  return (
    <Panel title={texts.calls} note={texts.callsNote}>
      <ReadView
        read={read}
        skeleton={<ChartSkeleton />}
        isEmpty={(answer) =>
          !pointsOf(answer).some((calls) => (calls === null ? answer.keptFrom !== null : calls > 0))
        }
        empty={<Empty title={texts.callsNone}>{texts.callsNoneWhy}</Empty>}
      >
        {(answer) => {
          const points = pointsOf(answer);
          const stepMs = answer.step * 1000;
          const first = Math.floor(Date.parse(answer.from) / stepMs) * stepMs;
          return (
            <TimeChart
              {...events}
              title={texts.calls}
              kind="bars"
              unit="count"
              times={points.map((_, i) => first + i * stepMs)}
              stepSeconds={answer.step}
              notes={answer}
              series={[
                {
                  ...{ key: 'calls', label: texts.calls, colour: 'accent' },
                  values: points.map((calls) => (calls === 0 ? null : calls)),
                },
              ]}
              height={160}
            />
          );
        }}
      </ReadView>
    </Panel>
  );
}

type RequestsProps = { title: string; read: Read<RequestsAnswer>; happenings: Happenings };

function RequestsPanel({ title, read, happenings }: RequestsProps) {
  const texts = useTexts(reportersTexts);
  const events = useEvents(happenings, read.data);
  const pointsOf = ({ series }: RequestsAnswer) => series[0]?.points ?? [];
  return (
    <Panel title={title}>
      <ReadView
        read={read}
        skeleton={<ChartSkeleton />}
        isEmpty={(answer) => answer.keptFrom === null && !pointsOf(answer).some(isCounted)}
        empty={<Empty title={texts.requestsNone}>{texts.requestsNoneWhy}</Empty>}
      >
        {(answer) => {
          const points = pointsOf(answer);
          const valuesOf = (value: (point: CountedPoint) => number) =>
            points.map((point) => (isCounted(point) ? value(point) : null));
          return (
            <TimeChart
              {...events}
              title={title}
              kind="bars"
              unit="count"
              times={points.map(({ at }) => Date.parse(at))}
              stepSeconds={answer.step}
              notes={answer}
              series={[
                {
                  ...{ key: 'ok', label: texts.succeeded, colour: 'info' },
                  values: valuesOf(({ count, errors, clientErrors }) => count - errors - clientErrors),
                },
                {
                  ...{ key: '4xx', label: texts.clientErrors, colour: 'warn' },
                  values: valuesOf(({ clientErrors }) => clientErrors),
                },
                { key: '5xx', label: texts.failed, colour: 'bad', values: valuesOf(({ errors }) => errors) },
              ]}
            />
          );
        }}
      </ReadView>
    </Panel>
  );
}
