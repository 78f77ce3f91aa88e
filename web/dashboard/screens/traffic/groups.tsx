import { useMemo } from 'preact/hooks';
import type { TopAnswer, TopRow } from '../../../../contract/analytics/figures.js';
import { useAddress } from '../../address/use-address.js';
import { useSearch } from '../../address/use-search.js';
import { type Format, useFormat } from '../../format.js';
import { NotKeptHere } from '../../kit/not-kept.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import type { Sorting } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useTexts } from '../../texts.js';
import { figureColumns, type RowColumn, type ShareColours, trendColumn } from './columns.js';
import { isServerOrder, parseSorting, serverOrderOf, writeSorting } from './order.js';
import type { Place } from './place.js';
import { useTop, withSparklines } from './reads.js';
import { type TrafficTexts, trafficTexts } from './texts.js';
import { useShareColours } from './use-share-colours.js';

type GroupsProps = { place: Place; by: 'service' | 'endpoint' };

const rowHeightPx = 41;

/** The services of the page, or the endpoints of a service. The service orders and searches among all of them. */
export function Groups({ place, by }: GroupsProps) {
  const texts = useTexts(trafficTexts);
  const { query, choose } = useAddress();
  const sorting = useMemo(() => parseSorting(query['order']), [query['order']]);
  const search = useSearch();
  const order = serverOrderOf(sorting);
  const read = useTop(place, { ...withSparklines, by, order, search: search.asked });
  return (
    <Panel title={texts.tables[by]} flush>
      <ReadView read={read} skeleton={<Skeleton height={8 * rowHeightPx} />}>
        {(answer) => (
          <>
            {answer.groups === null && answer.keptFrom !== null && <NotKeptHere keptFrom={answer.keptFrom} />}
            <GroupTable
              {...{ answer, by, place, sorting, search }}
              onSort={(chosen) => choose({ order: writeSorting(chosen) })}
            />
            <Rest answer={answer} sorting={sorting} />
          </>
        )}
      </ReadView>
    </Panel>
  );
}

type GroupTableProps = GroupsProps & {
  answer: TopAnswer;
  sorting: Sorting;
  search: ReturnType<typeof useSearch>;
  onSort(sorting: Sorting): void;
};

function GroupTable({ answer, by, place, sorting, search, onSort }: GroupTableProps) {
  const texts = useTexts(trafficTexts);
  const format = useFormat();
  const colours = useShareColours();
  const columns = useMemo(
    () => columnsOf({ answer, by, texts, format, place, colours }),
    // The links follow the filters and the range.
    [answer, by, texts, format, colours, place.hrefOf({})],
  );
  return (
    <DataTable
      name={texts.tables[by]}
      rows={answer.rows}
      columns={columns}
      keyOf={keyOf}
      all={answer.groups ?? undefined}
      {...{ sorting, onSort, search }}
    />
  );
}

/** Says which rows the table leaves out, and what its order means then. */
function Rest({ answer: { truncated, rows, groups }, sorting }: { answer: TopAnswer; sorting: Sorting }) {
  const texts = useTexts(trafficTexts);
  const { count } = useFormat();
  if (!truncated) return null;
  return (
    <p class="table-foot note">
      {groups !== null && texts.firstOf({ shown: count(rows.length), all: count(groups) })}
      {!isServerOrder(sorting) && ` ${texts.sortedAmong({ shown: count(rows.length) })}`}
    </p>
  );
}

export function keyOf({ service, endpoint, method, status }: TopRow): string {
  return JSON.stringify([service, endpoint, method, status]);
}

type ColumnsInput = {
  answer: TopAnswer;
  by: GroupsProps['by'];
  texts: TrafficTexts;
  format: Format;
  colours: ShareColours;
  place: Pick<Place, 'filters' | 'hrefOf'>;
};

function columnsOf({ answer, by, texts, format, colours, place }: ColumnsInput): RowColumn[] {
  const { filters, hrefOf } = place;
  const { rate, errors, errorShare, p50, p95, p99 } = figureColumns(texts, format, colours);
  const { method, status } = filters;
  const name: RowColumn = {
    ...{ key: 'name', title: texts.columns[by], class: 'name-cell' },
    value: (row) => row[by],
    cell: ({ service, endpoint }) => (
      <a
        class="row-link"
        href={hrefOf({ method, status, service: service ?? undefined, endpoint: endpoint ?? undefined })}
        dir="auto"
      >
        {by === 'service' ? service : endpoint}
      </a>
    ),
  };
  return [name, rate, errors, errorShare, p50, p95, p99, trendColumn(answer, texts, format, colours)];
}
