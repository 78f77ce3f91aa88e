import type { ComponentChildren } from 'preact';
import type { ReadError } from '../reads/fetch-json.js';
import type { List } from '../reads/use-list.js';
import { useTexts } from '../texts.js';
import { SendError } from './form/form.js';
import { Panel } from './panel.js';
import { Empty, ReadView, Skeleton } from './states.js';
import { DataTable, type DataTableProps } from './table/data-table.js';
import { kitTexts } from './texts.js';

type ResourceListProps<Row> = Omit<DataTableProps<Row>, 'name' | 'rows' | 'actions'> & {
  list: List<Row>;
  /** Title of the panel. */
  title: string;
  note?: ComponentChildren;
  /** Name of the table and of its file; the title by default. */
  name?: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  /** Choices above the table; the buttons that page stand behind them. */
  tools?: ComponentChildren;
  /** Why a change to one of the rows failed. */
  error?: ReadError | undefined;
  /** Drawn in place of the table when there are no rows: a title, a sentence that says why, and what to do. */
  empty?: { title: string; why?: string | undefined; action?: ComponentChildren };
  /** Lines of the skeleton. */
  lines?: number;
  /** Dialogs, and what stands below the table. */
  children?: ComponentChildren;
};

/** A panel with a list of the API: its states, its table, and the buttons that page. */
export function ResourceList<Row>(props: ResourceListProps<Row>) {
  const { list, title, note, actions, tools, error, empty, lines = 5, children, ...table } = props;
  const paging = <Paging {...list} />;
  // A table that people search has the buttons beside its filter.
  const isBesideTitle = table.isShort === true && tools === undefined;
  return (
    <Panel
      title={title}
      note={note}
      flush
      actions={
        isBesideTitle ? (
          <>
            {actions}
            {paging}
          </>
        ) : (
          actions
        )
      }
    >
      {tools !== undefined && (
        <div class="table-tools list-tools">
          {tools}
          {paging}
        </div>
      )}
      {error !== undefined && <SendError error={error} />}
      <ReadView
        read={list.read}
        skeleton={<Skeleton lines={lines} />}
        isEmpty={({ items }) => empty !== undefined && items.length === 0}
        empty={
          <Empty title={empty?.title ?? title}>
            {empty?.why !== undefined && <p>{empty.why}</p>}
            {empty?.action}
          </Empty>
        }
      >
        {({ items }) => <DataTable name={title} rows={items} actions={paging} {...table} />}
      </ReadView>
      {children}
    </Panel>
  );
}

/** Pages through a list that the API gives part by part; draws nothing where one part has all. */
export function Paging({ onNewest, onOlder }: Pick<List<never>, 'onNewest' | 'onOlder'>) {
  const texts = useTexts(kitTexts);
  return (
    <>
      {onNewest !== undefined && (
        <button type="button" class="button small" onClick={onNewest}>
          {texts.newest}
        </button>
      )}
      {onOlder !== undefined && (
        <button type="button" class="button small" onClick={onOlder}>
          {texts.older}
        </button>
      )}
    </>
  );
}
