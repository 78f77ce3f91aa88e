import { useMemo } from 'preact/hooks';
import type {
  CallsAnswer,
  ReporterHealth,
  ReportersAnswer,
} from '../../../../contract/analytics/reporters.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { EventCommand } from '../../shell/event-command.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import type { Calls } from './call-strip.js';
import { columnsOf } from './columns.js';
import { choose, Filters, useChosen } from './filters.js';
import { headOf, instancesIn, keyOf } from './instances.js';
import { ReporterDetail } from './reporter-detail.js';
import { Legend } from './states.js';
import { reportersTexts } from './texts.js';

/** Cells of the strips: half an hour each over a day. */
const stripStepSeconds = 1_800;

/** Every process that reports with its state in words; or one of them, which the address names. */
export default function Reporters() {
  const { slug } = usePage();
  const { query } = useAddress();
  const texts = useTexts(reportersTexts);
  const { screens } = useTexts(shellTexts);
  const read = useRead<ReportersAnswer>(pagePath(slug, '/analytics/reporters'), { everyMs: 10_000 });
  const { reporter: id, kind } = query;
  if (id !== undefined) return <ReporterDetail read={read} id={id} kind={kind} />;
  return (
    <Screen title={screens.reporters}>
      <Panel title={texts.who} note={texts.whoNote} flush>
        <ReadView
          read={read}
          skeleton={<Skeleton lines={12} />}
          isEmpty={({ reporters }) => reporters.length === 0}
          empty={
            <Empty title={texts.none}>
              <p>{texts.noneWhy}</p>
              <EventCommand />
            </Empty>
          }
        >
          {({ reporters }) => <ReporterList reporters={reporters} />}
        </ReadView>
      </Panel>
    </Screen>
  );
}

function ReporterList({ reporters }: { reporters: readonly ReporterHealth[] }) {
  const { slug } = usePage();
  const texts = useTexts(reportersTexts);
  const format = useFormat();
  const { path, to, choose: go } = useAddress();
  const chosen = useChosen();
  const { state, region, team } = chosen;
  const [limits, shareWords] = [useShareLimits(), useShareWords()];
  const callsOf = useCalls(slug);
  const rows = useMemo(() => choose(reporters, chosen), [reporters, state, region, team]);
  const columns = useMemo(
    () =>
      columnsOf({
        ...{ texts, format, limits, shareWords, callsOf },
        hrefOf: ({ id, kind }) => to(path, { reporter: id, kind }),
        instancesOf: (service) => instancesIn(reporters, service),
      }),
    [texts, format, limits, shareWords, callsOf, path, reporters],
  );
  return (
    <>
      <Filters reporters={reporters} />
      <Legend />
      {rows.length === 0 ? (
        <p class="no-match">
          {texts.noneOfFilter}{' '}
          <button
            type="button"
            class="link-button"
            onClick={() => go({ state: undefined, region: undefined, team: undefined })}
          >
            {texts.showAll}
          </button>
        </p>
      ) : (
        <DataTable
          name={texts.who}
          addressKey="reporters"
          rows={rows}
          columns={columns}
          keyOf={keyOf}
          headOf={headOf}
          sorting={{ key: 'state', isDescending: false }}
        />
      )}
    </>
  );
}

/**
 * Reads the calls of the last day, by reporter; a service's calls are in the rows of its reporters. The table does without
 * them while they load and when they fail.
 */
function useCalls(slug: string): (reporter: ReporterHealth) => Calls | undefined {
  const { data } = useRead<CallsAnswer>(
    pagePath(slug, '/analytics/calls', {
      ...{ from: 'now-24h', to: 'now', step: `${stripStepSeconds}`, limit: '2000' },
    }),
    { everyMs: 60_000 },
  );
  return useMemo(() => {
    if (data === undefined) return () => undefined;
    const stepMs = data.step * 1000;
    const from = Math.floor(Date.parse(data.from) / stepMs) * stepMs;
    // A day is always kept.
    const known = new Map(
      data.reporters.map((reporter) => [keyOf(reporter), reporter.points.map((calls) => calls ?? 0)]),
    );
    const steps = data.reporters[0]?.points.length ?? 0;
    // A reporter that a whole answer leaves out made no call.
    const none = data.truncated ? undefined : Array<number>(steps).fill(0);
    return (reporter: ReporterHealth) => {
      const points = known.get(keyOf(reporter)) ?? none;
      if (reporter.instances !== undefined && points?.every((calls) => calls === 0)) return undefined;
      return points && { from, stepSeconds: data.step, points };
    };
  }, [data]);
}
