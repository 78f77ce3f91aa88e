import type { ComponentChildren } from 'preact';
import { useId, useMemo, useRef } from 'preact/hooks';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import { copyText } from '../copy-text.js';
import { FilterField } from '../filter-field.js';
import { Icon } from '../icons.js';
import { showNotice } from '../notice.js';
import { saveFile } from '../save-file.js';
import { kitTexts } from '../texts.js';
import { ChoiceCell, ChoiceHead, type RowChoice } from './choice.js';
import { type Column, filterRows, groupRows, type Sorting, sortRows } from './column.js';
import { toCsv } from './to-csv.js';
import { useKeptView } from './use-kept-view.js';
import { useRowWindow } from './use-window.js';

export type DataTableProps<Row> = {
  /** Names the table for screen readers, and its file. */
  name: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** The order at first; the order, when `onSort` says that the caller keeps it, such as in the address. */
  sorting: Sorting;
  onSort?(sorting: Sorting): void;
  /** The text of the filter where the caller keeps it, such as to search where all rows are. */
  search?: { text: string; onInput(text: string): void };
  /** Keeps the order and the filter in the address under this name, so that a link has them. */
  addressKey?: string;
  /** How many rows there are, where `rows` has only the first of them. */
  all?: number | undefined;
  /** A few rows, which need no filter and no file. */
  isShort?: boolean;
  /** Such as marking a row that needs attention. */
  rowClass?(row: Row): string | undefined;
  /** The key of the row below which a row stands, whatever the order; such as of the service of an instance. */
  headOf?(row: Row): string | undefined;
  /** Choices beside the filter. */
  actions?: ComponentChildren;
  /** Lets people choose rows. */
  choice?: RowChoice<Row> | undefined;
};

/** Rows have one height, so that the place of each is known without drawing it. */
const rowHeightPx = 41;

/** More columns do not fit into the panel of a laptop. */
const fewColumnsMax = 8;

/** A table that people sort, filter and take with them. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, rows, columns, actions, search, all = rows.length } = props;
  const own = useKeptView(props.sorting, columns, props.addressKey);
  const [sorting, setSorting] =
    props.onSort === undefined ? [own.sorting, own.setSorting] : [props.sorting, props.onSort];
  const [filter, setFilter] =
    search === undefined ? [own.filter, own.setFilter] : [search.text, search.onInput];
  const { rows: shown, inner } = useShown(props, sorting, filter);
  const texts = useTexts(kitTexts);
  return (
    <div class="data-table">
      {props.isShort !== true && (
        <div class="table-tools">
          <Filter value={filter} onChange={setFilter} shown={shown.length} all={all} />
          {actions}
          <button
            type="button"
            class="icon-button"
            title={texts.download}
            aria-label={texts.download}
            onClick={() => saveFile(`${name}.csv`, toCsv(shown, columns), 'text/csv;charset=utf-8')}
          >
            <Icon name="download" />
          </button>
        </div>
      )}
      <div class={columns.length > fewColumnsMax ? 'table-box wide' : 'table-box'}>
        <Grid {...props} shown={shown} inner={inner} sorting={sorting} onSort={setSorting} />
      </div>
      {shown.length === 0 && (rows.length > 0 || filter !== '') && (
        <p class="no-match">
          {texts.noMatch}{' '}
          <button type="button" class="link-button" onClick={() => setFilter('')}>
            {texts.clear}
          </button>
        </p>
      )}
    </div>
  );
}

const none: ReadonlySet<string> = new Set();

/** The rows that the filter leaves, in their order. Typing sorts nothing: 100,000 rows would take too long at each key. */
function useShown<Row>(
  { rows, columns, keyOf, headOf }: DataTableProps<Row>,
  { key, isDescending }: Sorting,
  filter: string,
): { rows: readonly Row[]; inner: ReadonlySet<string> } {
  const sorted = useMemo(
    () => sortRows(rows, columns, { key, isDescending }),
    [rows, columns, key, isDescending],
  );
  return useMemo(() => {
    const found = filterRows(sorted, columns, filter);
    return headOf === undefined ? { rows: found, inner: none } : groupRows(found, keyOf, headOf);
  }, [sorted, columns, filter]);
}

type FilterProps = { value: string; onChange(value: string): void; shown: number; all: number };

function Filter({ value, onChange, shown, all }: FilterProps) {
  const texts = useTexts(kitTexts);
  const { count } = useFormat();
  return (
    <>
      <FilterField label={texts.filter} value={value} onChange={onChange} />
      <span class="note" role="status">
        {shown === all
          ? texts.rows({ count: all, shown: count(all) })
          : texts.rowsOf({ shown: count(shown), all: count(all) })}
      </span>
    </>
  );
}

type GridProps<Row> = DataTableProps<Row> & {
  shown: readonly Row[];
  /** Keys of the rows that stand below another. */
  inner: ReadonlySet<string>;
  sorting: Sorting;
  onSort(sorting: Sorting): void;
};

/** Ctrl-C or ⌘C on a link in a cell copies its text, unless a text is selected. */
function useCopyCell(): (event: KeyboardEvent) => void {
  const texts = useTexts(kitTexts);
  return ({ key, ctrlKey, metaKey, target }) => {
    if (key !== 'c' || !(ctrlKey || metaKey) || getSelection()?.isCollapsed === false) return;
    const link = target instanceof HTMLElement ? target.closest('td a') : null;
    if (link === null) return;
    void copyText(link.textContent.trim()).then((isCopied) =>
      showNotice(isCopied ? texts.copied : texts.notCopied),
    );
  };
}

function Grid<Row>(props: GridProps<Row>) {
  const { name, columns, keyOf, rowClass, shown, inner, sorting, onSort, choice } = props;
  const width = columns.length + (choice === undefined ? 0 : 1);
  const body = useRef<HTMLTableSectionElement>(null);
  const copyCell = useCopyCell();
  const { first, end } = useRowWindow(body, { count: shown.length, heightPx: rowHeightPx });
  return (
    <table aria-label={name} aria-rowcount={shown.length + 1}>
      <Widths columns={columns} hasChoice={choice !== undefined} />
      <thead>
        <tr aria-rowindex={1}>
          {choice !== undefined && <ChoiceHead choice={choice} shown={shown.map(keyOf)} />}
          {columns.map((column) => (
            <Head key={column.key} column={column} sorting={sorting} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body} onKeyDown={copyCell}>
        <Gap rows={first} columns={width} />
        {shown.slice(first, end).map((row, i) => (
          <tr
            key={keyOf(row)}
            class={inner.has(keyOf(row)) ? 'inner-row' : rowClass?.(row)}
            aria-rowindex={first + i + 2}
            onClick={followRow}
          >
            {choice !== undefined && <ChoiceCell choice={choice} row={row} rowKey={keyOf(row)} />}
            <Cells row={row} columns={columns} />
          </tr>
        ))}
        <Gap rows={shown.length - end} columns={width} />
      </tbody>
    </table>
  );
}

type WidthsProps<Row> = Pick<DataTableProps<Row>, 'columns'> & { hasChoice: boolean };

/** The widths of columns that have one whatever is drawn. */
function Widths<Row>({ columns, hasChoice }: WidthsProps<Row>) {
  if (columns.every(({ chars }) => chars === undefined)) return null;
  return (
    <colgroup>
      {hasChoice && <col />}
      {columns.map(({ key, chars }) => (
        <col key={key} style={chars === undefined ? {} : { '--chars': chars }} />
      ))}
    </colgroup>
  );
}

/** The same elements again while the row is the same, so that a choice draws its boxes only. */
function Cells<Row>({ row, columns }: Pick<DataTableProps<Row>, 'columns'> & { row: Row }) {
  return useMemo(
    () => (
      <>
        {columns.map((column) => (
          <td key={column.key} class={classOf(column)}>
            {column.cell === undefined ? column.value(row) : column.cell(row)}
          </td>
        ))}
      </>
    ),
    [row, columns],
  );
}

/** A click beside the link of a row, `a.row-link`, is one on it; one that ends a selection of text is not. */
function followRow(event: MouseEvent): void {
  const { currentTarget: row, target, ctrlKey, metaKey, shiftKey } = event;
  if (!(row instanceof Element) || !(target instanceof Element)) return;
  if (target.closest('a, button, input, label') !== null || getSelection()?.isCollapsed === false) return;
  const click = new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey });
  row.querySelector('a.row-link')?.dispatchEvent(click);
}

/** The place of the rows that are not drawn. */
function Gap({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="gap-row">
      <td colSpan={columns} style={{ height: `${rows * rowHeightPx}px` }} />
    </tr>
  );
}

type HeadProps<Row> = { column: Column<Row>; sorting: Sorting; onSort(sorting: Sorting): void };

function Head<Row>({ column, sorting, onSort }: HeadProps<Row>) {
  const { key, title, help, isFigure = false, isPicture = false } = column;
  const helpId = useId();
  const isSorted = sorting.key === key;
  const direction = sorting.isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" class={classOf(column)} title={help} aria-sort={isSorted ? direction : undefined}>
      {help !== undefined && (
        <span id={helpId} hidden>
          {help}
        </span>
      )}
      {isPicture ? (
        <>
          {title}
          {help !== undefined && <span class="visually-hidden">: {help}</span>}
        </>
      ) : (
        <button
          type="button"
          class="sort-button"
          aria-describedby={help === undefined ? undefined : helpId}
          // The largest figures are what people look for first.
          onClick={() => onSort({ key, isDescending: isSorted ? !sorting.isDescending : isFigure })}
        >
          {title}
          {isSorted && <Icon name={sorting.isDescending ? 'down' : 'up'} />}
        </button>
      )}
    </th>
  );
}

function classOf<Row>({ isFigure, isMinor, isPicture, class: own }: Column<Row>): string {
  return [isFigure && 'figure-cell', isMinor && 'minor', isPicture && 'picture-cell', own]
    .filter(Boolean)
    .join(' ');
}
