import type { Order } from '../../../../contract/analytics/figures.js';
import type { Sorting } from '../../kit/table/column.js';

/** Columns that sort from A to Z at first; all others begin with the largest. */
const textColumns: ReadonlySet<string> = new Set(['name', 'service']);
const sortable = [...textColumns, 'requests', 'errors', 'errorShare', 'p50', 'p95', 'p99'];

export const usualSorting: Sorting = { key: 'requests', isDescending: true };

/** Reads `order` of the address, such as `p95`, or `p95.asc` for the other direction. */
export function parseSorting(order: string | undefined): Sorting {
  const [key = '', direction] = (order ?? '').split('.', 2);
  if (!sortable.includes(key)) return usualSorting;
  const isDescending = direction === undefined ? !textColumns.has(key) : direction === 'desc';
  return { key, isDescending };
}

/** The text that parseSorting() reads; none for the usual order. */
export function writeSorting({ key, isDescending }: Sorting): string | undefined {
  if (key === usualSorting.key && isDescending === usualSorting.isDescending) return undefined;
  const isNatural = isDescending !== textColumns.has(key);
  return isNatural ? key : `${key}.${isDescending ? 'desc' : 'asc'}`;
}

/**
 * The order in which the service chooses the groups that the table has. The service has no order by p50 and p99; the
 * slowest by p95 come closest.
 */
export function serverOrderOf({ key, isDescending }: Sorting): Order {
  if (!isDescending) return 'requests';
  if (key === 'p50' || key === 'p99') return 'p95';
  return key === 'errors' || key === 'errorShare' || key === 'p95' ? key : 'requests';
}

/** Whether the groups of the table are those with the largest values of the column that orders them. */
export function isServerOrder(sorting: Sorting): boolean {
  return sorting.isDescending && serverOrderOf(sorting) === sorting.key;
}
