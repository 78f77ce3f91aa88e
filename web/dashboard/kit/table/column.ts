import type { ComponentChildren } from 'preact';

/** A value that a column sorts by; null stands for nothing and sorts last. */
export type CellValue = string | number | null;

export type Column<Row> = {
  /** Names the column in the address and in a file. */
  key: string;
  title: string;
  /** The meaning of the figure, where its title does not say it. */
  help?: string;
  value(row: Row): CellValue;
  /** Returns the text for the filter and the file, where `value` only gives the order. */
  text?(row: Row): string;
  /** How the value is drawn; as it is by default. */
  cell?(row: Row): ComponentChildren;
  /** Figures stand at the end of their cell. */
  isFigure?: boolean;
  /** Left out on narrow screens. */
  isMinor?: boolean;
  /** A picture, such as a sparkline: nothing to sort by, and not in a file. */
  isPicture?: boolean;
  /** A class of the cells, such as one with a width. */
  class?: string;
  /** Characters of its longest text: the column then keeps its width while rows scroll in and out. */
  chars?: number;
};

export type Sorting = { key: string; isDescending: boolean };

/** Returns the rows in the order of a column; equal ones stay as they are, and those without a value come last. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { key, isDescending }: Sorting,
): readonly Row[] {
  const column = columns.find((one) => one.key === key);
  if (column === undefined) return rows;
  const direction = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: column.value(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return direction * compare(a.value, b.value);
    })
    .map(({ row }) => row);
}

/**
 * Puts the rows of a group behind its head, in their order. A group stands where the first of its rows would stand alone.
 * A row whose head is not among the rows stands for itself.
 *
 * @param headOf returns the key of the head that a row belongs to
 */
export function groupRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  headOf: (row: Row) => string | undefined,
): { rows: readonly Row[]; inner: ReadonlySet<string> } {
  const keys = new Set(rows.map(keyOf));
  const inner = new Set<string>();
  const groups = new Map<string, { head: Row[]; others: Row[] }>();
  for (const row of rows) {
    const head = headOf(row);
    const isInner = head !== undefined && keys.has(head);
    const key = isInner ? head : keyOf(row);
    const group = groups.get(key) ?? { head: [], others: [] };
    groups.set(key, group);
    if (isInner) inner.add(keyOf(row));
    (isInner ? group.others : group.head).push(row);
  }
  return { rows: [...groups.values()].flatMap(({ head, others }) => [...head, ...others]), inner };
}

/** Made once: a sort of 100,000 texts compares 1.7 million times. */
const collator = new Intl.Collator();

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}

/** Returns the text of a cell for the filter and the file. */
export function textOf<Row>({ value, text }: Column<Row>, row: Row): CellValue {
  return text === undefined ? value(row) : text(row);
}

/** Returns the rows whose texts contain every word of the filter, in any case. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filter: string,
): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const texts = columns.filter(
    ({ isFigure, isPicture, text }) => text !== undefined || (isFigure !== true && isPicture !== true),
  );
  return rows.filter((row) => {
    const text = texts
      .map((column) => textOf(column, row) ?? '')
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

type TimeColumn<Row> = Pick<Column<Row>, 'key' | 'title' | 'isMinor'> & {
  /** ISO-8601; null without a time. */
  timeOf(row: Row): string | null;
  say(at: number): ComponentChildren;
  /** Drawn where there is no time. */
  none?: ComponentChildren;
};

/** A column of times, left out on narrow screens by default. */
export function timeColumn<Row>({ timeOf, say, none, ...column }: TimeColumn<Row>): Column<Row> {
  const atOf = (row: Row): number | null => {
    const time = timeOf(row);
    return time === null ? null : Date.parse(time);
  };
  return {
    ...{ isFigure: true, isMinor: true, ...column, value: atOf },
    text: (row) => timeOf(row) ?? '',
    cell(row) {
      const at = atOf(row);
      return at === null ? none : say(at);
    },
  };
}

/** A column with what can be done with a row. */
export function actionColumn<Row>(title: string, cell: (row: Row) => ComponentChildren): Column<Row> {
  return { key: 'actions', title, isPicture: true, class: 'actions-cell', value: () => null, cell };
}
