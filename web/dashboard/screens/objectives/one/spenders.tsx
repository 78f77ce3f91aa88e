import type { ObjectiveReport } from '../../../../../contract/manage/objective-report.js';
import type { RequestsSli } from '../../../../../contract/manage/objectives.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Panel } from '../../../kit/panel.js';
import type { Column } from '../../../kit/table/column.js';
import { DataTable } from '../../../kit/table/data-table.js';
import { usePage } from '../../../session.js';
import { pathOfScreen } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';
import { sayAmount, shareOf } from '../words.js';

type PartProps = { report: ObjectiveReport };
type Spent = { spent: number; share: number | null };

/** The two columns that both tables have: how much, and how much of the budget. */
function useSpentColumns<Row extends Spent>({ unit }: ObjectiveReport): Column<Row>[] {
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  return [
    {
      key: 'spent',
      title: texts.spent,
      isFigure: true,
      value: ({ spent }) => spent,
      cell: ({ spent }) => sayAmount(unit, spent, { texts, format }),
    },
    {
      key: 'share',
      title: texts.shareOf,
      isFigure: true,
      value: ({ share }) => share,
      cell: ({ share }) => share !== null && shareOf(share, format),
    },
  ];
}

type TimesProps = PartProps & {
  /** The requests that count, for the link to them; none for a monitor. */
  filters: RequestsSli | undefined;
};

/** The days or hours that spent most, with links to what happened then. */
export function WorstTimes({ report, filters }: TimesProps) {
  const { slug } = usePage();
  const { to } = useAddress();
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  type Row = ObjectiveReport['worst']['items'][number];
  const say = ({ from }: Row) =>
    report.worst.unit === 'day' ? format.day(Date.parse(from)) : format.moment(Date.parse(from));
  const hrefOf = ({ from, to: end }: Row): string => {
    const { service, endpoint, method } = filters ?? {};
    return to(pathOfScreen(slug, 'traffic'), { service, endpoint, method, from, to: end });
  };
  const columns: Column<Row>[] = [
    {
      key: 'when',
      title: texts.when,
      value: ({ from }) => Date.parse(from),
      cell: (row) =>
        filters === undefined ? (
          say(row)
        ) : (
          <a class="row-link" href={hrefOf(row)}>
            {say(row)}
          </a>
        ),
    },
    ...useSpentColumns<Row>(report),
  ];
  const title = report.worst.unit === 'day' ? texts.worstDays : texts.worstHours;
  return (
    <Panel title={title} flush>
      {report.worst.items.length === 0 ? (
        <p class="panel-none">{texts.noneSpent}</p>
      ) : (
        <DataTable
          {...{ isShort: true, name: title, rows: report.worst.items, columns }}
          keyOf={({ from }) => from}
          sorting={{ key: 'spent', isDescending: true }}
        />
      )}
    </Panel>
  );
}

/** The endpoints that spent most. */
export function WorstEndpoints({ report }: PartProps) {
  const { slug } = usePage();
  const { to } = useAddress();
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const { endpoints, window } = report;
  type Row = ObjectiveReport['endpoints']['items'][number];
  const hrefOf = ({ service, endpoint }: Row): string =>
    to(pathOfScreen(slug, 'traffic'), { service, endpoint, from: endpoints.from ?? window.from, to: 'now' });
  const columns: Column<Row>[] = [
    {
      key: 'endpoint',
      title: texts.endpoint,
      class: 'objective-cell',
      value: ({ service, endpoint }) => `${service} ${endpoint}`,
      cell: (row) => (
        <a class="row-link two-lines" href={hrefOf(row)} dir="auto">
          <span>{row.endpoint}</span>
          <span class="note">{row.service}</span>
        </a>
      ),
    },
    ...useSpentColumns<Row>(report),
  ];
  return (
    <Panel
      title={texts.endpoints}
      note={
        endpoints.from === null
          ? undefined
          : texts.endpointsFrom({ time: format.moment(Date.parse(endpoints.from)) })
      }
      flush
    >
      {endpoints.items.length === 0 ? (
        <p class="panel-none">{texts.noEndpoints}</p>
      ) : (
        <DataTable
          {...{ isShort: true, name: texts.endpoints, rows: endpoints.items, columns }}
          keyOf={({ service, endpoint }) => `${service} ${endpoint}`}
          sorting={{ key: 'spent', isDescending: true }}
        />
      )}
    </Panel>
  );
}
