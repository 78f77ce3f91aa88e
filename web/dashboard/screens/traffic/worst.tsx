import { useMemo } from 'preact/hooks';
import type { TopAnswer, TopRow } from '../../../../contract/analytics/figures.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { NotKeptHere } from '../../kit/not-kept.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import type { Sorting } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { kitTexts } from '../../kit/texts.js';
import { useTexts } from '../../texts.js';
import { figureColumns, type RowColumn, trendColumn } from './columns.js';
import { keyOf } from './groups.js';
import type { Place } from './place.js';
import { useTop, withSparklines } from './reads.js';
import { trafficTexts } from './texts.js';
import { useShareColours } from './use-share-colours.js';
import { gainOf, parseWorst, pickWorst, type WorstBy, worstOrders } from './worst-of.js';

const rowHeightPx = 41;
const rowsShown = 6;

type WorstProps = { place: Place; errorsInAll: number | undefined };

/** The endpoints of the page that a person looks at first when it fails or is slow. */
export function Worst({ place, errorsInAll }: WorstProps) {
  const texts = useTexts(trafficTexts);
  const { query } = useAddress();
  const by = parseWorst(query['worst']);
  const read = useTop(place, {
    ...withSparklines,
    by: 'endpoint',
    order: by === 'rise' ? 'errors' : by,
    limit: '50',
  });
  return (
    <Panel title={texts.worst.title} note={texts.worst.notes[by]} actions={<WorstChoice by={by} />} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton height={(rowsShown + 1) * rowHeightPx} />}
        isEmpty={({ rows }) => pickWorst(rows, by, rowsShown).length === 0}
        empty={
          <>
            <p class="panel-none">
              {read.data?.groups === null ? (
                texts.worst.notKept
              ) : (
                <Badge tone="good">
                  {by === 'p95' ? texts.noneOf : by === 'rise' ? texts.worst.noRise : texts.worst.noErrors}
                </Badge>
              )}
            </p>
            {read.data?.groups === null && read.data.keptFrom !== null && (
              <NotKeptHere keptFrom={read.data.keptFrom} />
            )}
          </>
        }
      >
        {(answer) => <WorstTable {...{ answer, by, place, errorsInAll }} />}
      </ReadView>
    </Panel>
  );
}

function WorstChoice({ by }: { by: WorstBy }) {
  const texts = useTexts(trafficTexts).worst;
  const { choose } = useAddress();
  return (
    <fieldset class="segments inline">
      <legend class="visually-hidden">{texts.by}</legend>
      {worstOrders.map((order) => (
        <label key={order}>
          <input
            type="radio"
            name="worst"
            checked={order === by}
            onChange={() => choose({ worst: order === 'rise' ? undefined : order })}
          />
          <span>{texts.orders[order]}</span>
        </label>
      ))}
    </fieldset>
  );
}

const sortings: Readonly<Record<WorstBy, Sorting>> = {
  rise: { key: 'gain', isDescending: true },
  errors: { key: 'errors', isDescending: true },
  errorShare: { key: 'errorShare', isDescending: true },
  p95: { key: 'p95', isDescending: true },
};

type WorstTableProps = WorstProps & { answer: TopAnswer; by: WorstBy };

function WorstTable({ answer, by, place, errorsInAll }: WorstTableProps) {
  const texts = useTexts(trafficTexts);
  const rows = useMemo(() => pickWorst(answer.rows, by, rowsShown), [answer, by]);
  const columns = useWorstColumns({ answer, by, place, errorsInAll });
  return (
    <DataTable
      // Another order begins with its own column.
      key={by}
      name={texts.worst.title}
      rows={rows}
      columns={columns}
      keyOf={keyOf}
      sorting={sortings[by]}
      isShort
    />
  );
}

function useWorstColumns({
  answer,
  by,
  place: { filters, hrefOf },
  errorsInAll,
}: WorstTableProps): RowColumn[] {
  const texts = useTexts(trafficTexts);
  const kit = useTexts(kitTexts);
  const format = useFormat();
  const colours = useShareColours();
  return useMemo(() => {
    const { columns } = texts;
    const { rate, errors, errorShare, p95, p99 } = figureColumns(texts, format, colours);
    const { method, status } = filters;
    const name: RowColumn = {
      ...{ key: 'name', title: columns.endpoint, class: 'name-cell' },
      value: ({ endpoint }) => endpoint,
      cell: ({ service, endpoint }) => (
        <a
          class="row-link"
          href={hrefOf({ method, status, service: service ?? undefined, endpoint: endpoint ?? undefined })}
        >
          <span dir="auto">{endpoint}</span>{' '}
          <span class="note" dir="auto">
            {service}
          </span>
        </a>
      ),
    };
    const gain: RowColumn = {
      ...{ key: 'gain', title: columns.gain, help: columns.gainHelp, isFigure: true },
      value: gainOf,
      cell: (row) =>
        row.previous === null ? <span class="note">{kit.noFigures}</span> : `+${format.count(gainOf(row))}`,
    };
    const partOf = ({ now }: TopRow) =>
      now.errors === null || errorsInAll === undefined || errorsInAll === 0
        ? null
        : Math.min(1, now.errors / errorsInAll);
    const part: RowColumn = {
      ...{ key: 'part', title: columns.part, isFigure: true, isMinor: true },
      value: partOf,
      cell: (row) => {
        const value = partOf(row);
        return value === null ? null : format.share(value);
      },
    };
    const ofOrder = by === 'p95' ? [p95, p99, rate, errorShare] : [errors, part, errorShare, p95];
    return [name, ...(by === 'rise' ? [gain] : []), ...ofOrder, trendColumn(answer, texts, format, colours)];
    // The links follow the filters and the range.
  }, [answer, by, errorsInAll, texts, kit, format, colours, hrefOf({ ...filters })]);
}
