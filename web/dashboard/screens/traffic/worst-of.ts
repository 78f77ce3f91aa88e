import type { Order, TopRow } from '../../../../contract/analytics/figures.js';

/** The orders of the worst endpoints: most new errors, or the largest figure. */
export const worstOrders = ['rise', 'errors', 'errorShare', 'p95'] as const satisfies readonly (
  | Order
  | 'rise'
)[];
export type WorstBy = (typeof worstOrders)[number];

/** The order of an address; by the rise of errors without one. */
export function parseWorst(text: string | undefined): WorstBy {
  return worstOrders.find((order) => order === text) ?? 'rise';
}

/** Errors beyond the count of the period before; all errors when that is not known. */
export function gainOf({ now, previous }: TopRow): number {
  return Math.max(0, (now.errors ?? 0) - (previous?.errors ?? 0));
}

/** Returns at most `max` rows, worst first. Those without an error are no failing ones, and those without times not slow. */
export function pickWorst(rows: readonly TopRow[], by: WorstBy, max: number): readonly TopRow[] {
  if (by === 'p95') return rows.filter(({ now }) => now.p95Ms !== null).slice(0, max);
  const failing = rows.filter(({ now }) => (now.errors ?? 0) > 0);
  if (by !== 'rise') return failing.slice(0, max);
  return failing
    .filter((row) => gainOf(row) > 0)
    .sort((a, b) => gainOf(b) - gainOf(a))
    .slice(0, max);
}
