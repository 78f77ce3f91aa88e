import { readableColumns, type SqlColumn } from './sql-columns.js';
import { type ReadableTable, type ReadableView, readableTables, readableViews } from './sql-tables.js';
import { viewColumns } from './sql-view-columns.js';

/** A table as the SQL of a page knows it: stored, or a view. */
export type SqlTable = ReadableTable | ReadableView;

/** Names of everything that the SQL of a page can read, in the order of the documentation. */
export const sqlTables: readonly SqlTable[] = [...readableTables, ...readableViews];

/** Comments and columns of these tables. */
export const documentedTables: Readonly<
  Record<SqlTable, { comment: string; columns: readonly SqlColumn[] }>
> = { ...readableColumns, ...viewColumns };

/** Names of all columns and tables, each once. */
export const documentedNames: readonly string[] = [
  ...new Set([
    ...sqlTables.flatMap((table) => documentedTables[table].columns.map(({ name }) => name)),
    ...sqlTables,
  ]),
];
