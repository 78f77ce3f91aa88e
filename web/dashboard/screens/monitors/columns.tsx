import type { MonitorsOverview } from '../../../../contract/manage/overview.js';
import type { Format } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Sparkline } from '../../kit/sparkline.js';
import type { Column } from '../../kit/table/column.js';
import { UptimeStrip } from '../../kit/uptime-strip.js';
import { textFor } from '../../texts.js';
import { shownState, shownStates, tones } from './state.js';
import type { StateTexts } from './state-texts.js';
import type { MonitorsTexts } from './texts.js';

export type ListedMonitor = MonitorsOverview['monitors'][number];

const hourMs = 3_600_000;

/** The columns of the list. `hrefOf` is where a monitor is shown. */
export function columnsOf(
  { texts, states, format }: { texts: MonitorsTexts; states: StateTexts; format: Format },
  hrefOf: (slug: string) => string,
): Column<ListedMonitor>[] {
  return [
    nameColumn(texts, hrefOf),
    stateColumn(texts, states),
    ...figureColumns(texts, format),
    ...textColumns(texts),
  ];
}

function nameColumn(texts: MonitorsTexts, hrefOf: (slug: string) => string): Column<ListedMonitor> {
  return {
    key: 'name',
    title: texts.name,
    value: ({ name }) => name,
    cell: ({ slug, name }) => (
      <a href={hrefOf(slug)} dir="auto">
        {name}
      </a>
    ),
  };
}

function stateColumn({ state: title }: MonitorsTexts, states: StateTexts): Column<ListedMonitor> {
  return {
    key: 'state',
    title,
    value: (monitor) => shownStates.indexOf(shownState(monitor)),
    text: (monitor) => states[shownState(monitor)],
    cell: (monitor) => {
      const state = shownState(monitor);
      return <Badge tone={tones[state]}>{states[state]}</Badge>;
    },
  };
}

/** The failure, and the checked target. */
function textColumns(texts: MonitorsTexts): Column<ListedMonitor>[] {
  return [
    {
      key: 'failure',
      title: texts.failure,
      isMinor: true,
      class: 'failure-cell',
      value: ({ lastError }) => wordsOf(lastError, texts),
      cell: ({ lastError }) => <span title={lastError ?? undefined}>{wordsOf(lastError, texts)}</span>,
    },
    {
      key: 'target',
      title: texts.target,
      isMinor: true,
      class: 'target-cell',
      value: ({ type, url }) => targetOf(type, url, texts),
      cell: ({ type, url }) => <span title={url ?? undefined}>{targetOf(type, url, texts)}</span>,
    },
  ];
}

function figureColumns(texts: MonitorsTexts, format: Format): Column<ListedMonitor>[] {
  const thisHour = Math.floor(Date.now() / hourMs) * hourMs;
  return [
    {
      key: 'uptime',
      title: texts.uptime24h,
      isFigure: true,
      value: ({ uptime24h }) => uptime24h,
      cell: ({ uptime24h }) => uptime24h !== null && format.uptime(uptime24h),
    },
    {
      key: 'hours',
      title: texts.hours,
      isPicture: true,
      value: () => null,
      cell: ({ bars, uptime24h }) => (
        <UptimeStrip
          uptimes={bars}
          uptime={uptime24h}
          titleAt={(i) => format.moment(thisHour - (bars.length - 1 - i) * hourMs)}
          runningFrom={bars.length - 1}
        />
      ),
    },
    {
      key: 'response',
      title: texts.response24h,
      help: texts.responseHelp,
      isFigure: true,
      class: 'response-cell',
      value: ({ responseMs }) => responseMs,
      cell: ({ responseMs }) => responseMs !== null && format.ms(responseMs),
    },
    {
      key: 'responses',
      title: texts.responses,
      isPicture: true,
      value: () => null,
      cell: ({ responses, responseMs }) =>
        responseMs !== null && (
          <Sparkline values={responses} label={texts.responsesOf({ ms: format.ms(responseMs) })} />
        ),
    },
  ];
}

/** An address without what is the same in most; the kind of a monitor without one. */
function targetOf(type: ListedMonitor['type'], url: string | null, { kinds }: MonitorsTexts): string {
  return url?.replace(/^https?:\/\//, '').replace(/^([^/]+)\/$/, '$1') ?? kinds[type];
}

/** The class of a failure in words; the sentence of the service where it has none. */
export function wordsOf(error: string | null, { errors }: MonitorsTexts): string | null {
  if (error === null) return null;
  const [kind = '', ...rest] = error.split(': ');
  return textFor(errors, kind) ?? (rest.length === 0 ? error : rest.join(': '));
}
