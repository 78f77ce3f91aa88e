import { documentedTables, sqlTables } from '../../contract/sql-documented.js';
import { findTables } from './named-tables.js';
import type { Token } from './tokens.js';

/** The column with the time of a row, and how many seconds a row stands for. */
export type RowTime = { name: string; seconds: number };

const slots: readonly RowTime[] = [
  { name: 'minute', seconds: 60 },
  { name: 'hour', seconds: 3_600 },
  { name: 'day', seconds: 86_400 },
];

/** Returns the time of the rows that a statement reads; `undefined` when its tables have none, or different ones. */
export function findTimeOf(tokens: readonly Token[]): RowTime | undefined {
  const names = new Set(findTables(tokens).map(({ token }) => token.text));
  const times = sqlTables
    .filter((table) => names.has(table))
    .flatMap((table) => {
      const columns = documentedTables[table].columns.map(({ name }) => name);
      return slots.filter(({ name }) => columns.includes(name)).slice(0, 1);
    });
  const [first] = times;
  return times.every((one) => one === first) ? first : undefined;
}
