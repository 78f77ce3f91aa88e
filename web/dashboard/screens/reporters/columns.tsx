import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import type { Format } from '../../format.js';
import { classOfErrorShare, type ShareLimits } from '../../kit/error-share.js';
import type { Column } from '../../kit/table/column.js';
import { CallStrip, type Calls } from './call-strip.js';
import { countsForService, troubledInstances } from './instances.js';
import { isThin, ServiceBadges, StateBadges, states, statesOf } from './states.js';
import type { ReportersTexts } from './texts.js';

type ColumnDeps = {
  texts: ReportersTexts;
  format: Format;
  limits: ShareLimits;
  /** The meaning of the colours of shares. */
  shareWords: string;
  hrefOf(reporter: ReporterHealth): string;
  /** Unknown while they load, and when their read fails. */
  callsOf(reporter: ReporterHealth): Calls | undefined;
  /** The reporters that name a service. */
  instancesOf(reporter: ReporterHealth): readonly ReporterHealth[];
};

export function columnsOf({
  texts,
  format,
  limits,
  shareWords,
  hrefOf,
  callsOf,
  instancesOf,
}: ColumnDeps): Column<ReporterHealth>[] {
  const troubledIn = (reporter: ReporterHealth): string[] => {
    const instances = instancesOf(reporter);
    const troubled = troubledInstances(instances);
    if (troubled === undefined) return [];
    const { state, count } = troubled;
    return [
      texts.someOf({
        count: format.count(count),
        all: format.count(instances.length),
        state: texts.states[state],
      }),
    ];
  };
  return [
    {
      key: 'name',
      title: texts.name,
      class: 'reporter-name',
      value: ({ name, id }) => (name === id ? name : `${name} (${id})`),
      text: ({ name, id, service }) =>
        [name, name === id ? '' : `(${id})`, service === undefined ? '' : texts.ofService({ service })]
          .filter(Boolean)
          .join(' '),
      cell: (reporter) => (
        <>
          <a href={hrefOf(reporter)} title={reporter.name} dir="auto">
            {reporter.name}
          </a>
          {reporter.id !== reporter.name && <span class="note reporter-id">{reporter.id}</span>}
          {reporter.service !== undefined && (
            <span class="note reporter-id of-service">{texts.ofService({ service: reporter.service })}</span>
          )}
          {reporter.instances !== undefined && (
            <span class="note reporter-id">
              {texts.instanceCount({ count: reporter.instances, shown: format.count(reporter.instances) })}
            </span>
          )}
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
        [...statesOf(reporter), ...(isThin(reporter) ? (['thin'] as const) : [])]
          .map((state) => texts.states[state])
          .concat(troubledIn(reporter))
          .join(', '),
      cell: (reporter) =>
        reporter.instances === undefined ? (
          <StateBadges {...reporter} thin={isThin(reporter)} />
        ) : (
          <ServiceBadges service={reporter} instances={instancesOf(reporter)} />
        ),
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
        every === null ? <span class="note">–</span> : texts.every({ span: format.span(every) }),
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
      value: (reporter) => (countsForService(reporter) ? null : reporter.requests),
      cell: (reporter) => (countsForService(reporter) ? null : format.count(reporter.requests)),
    },
    {
      key: 'failures',
      title: texts.failures,
      help: shareWords,
      isFigure: true,
      value: ({ failureRate }) => failureRate,
      cell: ({ failureRate }) =>
        failureRate === null ? null : (
          <span class={classOfErrorShare(failureRate, limits)}>{format.share(failureRate)}</span>
        ),
    },
    { key: 'region', title: texts.region, isMinor: true, value: ({ region }) => region },
    { key: 'team', title: texts.team, isMinor: true, value: ({ team }) => team },
  ];
}
