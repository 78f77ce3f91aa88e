import { useMemo } from 'preact/hooks';
import type { TopAnswer, TopRow } from '../../../../contract/analytics/figures.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useTexts } from '../../texts.js';
import { figureColumns, type RowColumn } from './columns.js';
import { keyOf } from './groups.js';
import type { Place } from './place.js';
import { useTop } from './reads.js';
import { StatusBadge } from './status-badge.js';
import { trafficTexts } from './texts.js';
import { useShareColours } from './use-share-colours.js';

type PartsProps = { place: Place; by: 'method' | 'status' };

/** The methods or the statuses of a place. Each row sets a filter; the row of the set filter removes it. */
export function Parts({ place, by }: PartsProps) {
  const texts = useTexts(trafficTexts);
  const { filters } = place;
  // The own filter stays out, so that another row can take its place.
  const read = useTop({ ...place, filters: { ...filters, [by]: undefined } }, { by, order: 'requests' });
  return (
    <Panel title={texts.tables[by]} note={texts.filterHint} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={4} />}
        isEmpty={({ rows }) => rows.length === 0}
        empty={<p class="panel-none">{texts.noneOf}</p>}
      >
        {(answer) => <PartTable answer={answer} by={by} place={place} />}
      </ReadView>
    </Panel>
  );
}

function PartTable({ answer, by, place: { filters, hrefOf } }: PartsProps & { answer: TopAnswer }) {
  const texts = useTexts(trafficTexts);
  const format = useFormat();
  const colours = useShareColours();
  const columns = useMemo((): RowColumn[] => {
    const { rate, errorShare, p95, p99 } = figureColumns(texts, format, colours);
    const name: RowColumn = {
      ...{ key: 'name', title: texts.columns[by], class: 'name-cell' },
      value: (row) => row[by],
      cell: (row) => {
        const value = String(row[by] ?? '');
        const isChosen = filters[by] === value;
        return (
          <a
            class="row-link"
            href={hrefOf({ ...filters, [by]: isChosen ? undefined : value })}
            {...(isChosen && { 'aria-current': 'true' as const })}
          >
            {row.status === null ? value : <StatusBadge status={row.status} />}
            {isChosen && <Icon name="filter" />}
          </a>
        );
      },
    };
    // All responses with a status are errors, or none is.
    return by === 'status' ? [name, rate, p95, p99] : [name, rate, errorShare, p95];
  }, [by, texts, format, colours, hrefOf({ ...filters })]);
  return (
    <DataTable
      name={texts.tables[by]}
      rows={answer.rows}
      columns={columns}
      keyOf={keyOf}
      sorting={{ key: 'requests', isDescending: true }}
      rowClass={(row: TopRow) => (String(row[by]) === filters[by] ? 'chosen' : undefined)}
      isShort
    />
  );
}
