import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import type { Format } from '../../format.js';
import { classOfErrorShare } from '../../kit/error-share.js';
import type { Column } from '../../kit/table/column.js';
import { CallStrip, type Calls } from './call-strip.js';
import { StateBadges, states, statesOf } from './states.js';
import type { ReporterTexts } from './texts.js';

type ColumnDeps = {
  texts: ReporterTexts;
  format: Format;
  hrefOf(reporter: ReporterHealth): string;
  /** Unknown while they load, and when their read fails. */
  callsOf(reporter: ReporterHealth): Calls | undefined;
};

export function columnsOf({ texts, format, hrefOf, callsOf }: ColumnDeps): Column<ReporterHealth>[] {
  return [
    {
      key: 'name',
      title: texts.name,
      class: 'reporter-name',
      value: ({ name, id }) => (name === id ? name : `${name} (${id})`),
      cell: (reporter) => (
        <>
          <a href={hrefOf(reporter)} title={reporter.name} dir="auto">
            {reporter.name}
          </a>
          {reporter.id !== reporter.name && <span class="note reporter-id">{reporter.id}</span>}
        </>
      ),
    },
    {
      key: 'state',
      title: texts.state,
      // One that fails and is silent comes before one that only fails.
      value: (reporter) =>
        statesOf(reporter).reduce((rank, state, i) => (i === 0 ? 10 * states.indexOf(state) : rank - 1), 0),
      text: (reporter) =>
        [...statesOf(reporter), ...(reporter.thin ? (['thin'] as const) : [])]
          .map((state) => texts.states[state])
          .join(', '),
      cell: (reporter) => <StateBadges {...reporter} />,
    },
    {
      key: 'lastCall',
      title: texts.lastCall,
      isFigure: true,
      value: ({ ageSeconds }) => ageSeconds,
      cell: ({ ageSeconds }) => (ageSeconds === null ? texts.never : format.ago(ageSeconds * 1000)),
    },
    {
      key: 'promise',
      title: texts.promise,
      isFigure: true,
      isMinor: true,
      value: ({ expectedEverySeconds }) => expectedEverySeconds,
      cell: ({ expectedEverySeconds: every }) =>
        every === null ? <span class="note">–</span> : texts.every(format.span(every)),
    },
    {
      key: 'strip',
      title: texts.strip,
      isPicture: true,
      isMinor: true,
      class: 'strip-cell',
      value: () => null,
      cell: (reporter) => {
        const calls = callsOf(reporter);
        return calls && <CallStrip calls={calls} everySeconds={reporter.expectedEverySeconds} />;
      },
    },
    {
      key: 'requests',
      title: texts.requests,
      isFigure: true,
      value: ({ requests }) => requests,
      cell: ({ requests }) => format.count(requests),
    },
    {
      key: 'failures',
      title: texts.failures,
      isFigure: true,
      value: ({ failureRate }) => failureRate,
      cell: ({ failureRate }) =>
        failureRate === null ? null : (
          <span class={classOfErrorShare(failureRate)}>{format.share(failureRate)}</span>
        ),
    },
    { key: 'region', title: texts.region, isMinor: true, value: ({ region }) => region },
    { key: 'team', title: texts.team, isMinor: true, value: ({ team }) => team },
  ];
}
