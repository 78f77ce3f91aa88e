import { useState } from 'preact/hooks';
import { useAddress } from '../../address/use-address.js';
import type { Column, Sorting } from './column.js';

/** The order and the filter of a table, and what changes them. */
export type KeptView = {
  sorting: Sorting;
  setSorting(sorting: Sorting): void;
  filter: string;
  setFilter(filter: string): void;
};

/**
 * Keeps the order and the filter of a table: in the address as `<name>-sort` and `<name>-find` where it has a name there,
 * or else while the table is drawn. An order is a choice, which Back undoes; typing is not.
 */
export function useKeptView<Row>(
  usual: Sorting,
  columns: readonly Column<Row>[],
  name: string | undefined,
): KeptView {
  const { query, choose, replace } = useAddress();
  const [sorting, setSorting] = useState(usual);
  const [filter, setFilter] = useState('');
  if (name === undefined) return { sorting, setSorting, filter, setFilter };
  const [sortKey, findKey] = [`${name}-sort`, `${name}-find`];
  return {
    sorting: readSorting(query[sortKey], columns) ?? usual,
    setSorting: ({ key, isDescending }) => choose({ [sortKey]: isDescending ? `-${key}` : key }),
    filter: query[findKey] ?? '',
    setFilter: (text) => replace({ [findKey]: text }),
  };
}

/** `name`, or `-name` for the other direction; `undefined` for a column that the table does not have. */
export function readSorting(
  text: string | undefined,
  columns: readonly Pick<Column<never>, 'key'>[],
): Sorting | undefined {
  const [, minus, key] = /^(-?)(.+)$/.exec(text ?? '') ?? [];
  const column = columns.find((one) => one.key === key);
  return column && { key: column.key, isDescending: minus === '-' };
}
