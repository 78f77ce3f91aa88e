import { type ExportedTable, timeColumns } from '../../contract/exported-tables.js';
import { formerColumn } from '../../contract/sql-columns.js';
import { documentedTables } from '../../contract/sql-documented.js';
import { readableTables } from '../../contract/sql-tables.js';

/** Every row of an export is of the page. */
const leftOut: ReadonlySet<string> = new Set(['page_id', formerColumn]);
const storedTables: ReadonlySet<string> = new Set(readableTables);

/**
 * Returns the SELECT of the rows of a table from `{from:DateTime}` to before `{to:DateTime}`, in the SQL of pages. Inserts
 * leave several rows of one key until they are merged, which FINAL does for the query; views have merged rows.
 */
export function exportStatement(table: ExportedTable): string {
  const columns = documentedTables[table].columns
    .map(({ name }) => name)
    .filter((name) => !leftOut.has(name));
  const time = timeColumns[table];
  return `SELECT ${columns.join(', ')} FROM ${table}${storedTables.has(table) ? ' FINAL' : ''}
WHERE ${time} >= {from:DateTime} AND ${time} < {to:DateTime}`;
}
