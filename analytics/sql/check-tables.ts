import { sqlTables } from '../../contract/sql-documented.js';
import { grantedViews, readableTables, tablesOfViews } from '../../contract/sql-tables.js';
import { nearestNames } from '../../lib/mistakes/nearest.js';
import { SqlRefusal, shorten } from './sql-refusal.js';

/**
 * The words that a statement is made of: the caller's, with functions and tables of pages, or the server's, to which
 * rewriteSql() turns them.
 */
export type Wording = {
  of: 'caller' | 'server';
  /** Calls of functions of pages that became expressions. */
  pageFunctions: number;
  /** Whether views may have their stored names: they do once rewriteSql() has put them there. */
  hasStoredNames: boolean;
};

/** A statement of the caller that the server knows every word of. */
export const asWritten: Wording = { of: 'server', pageFunctions: 0, hasStoredNames: false };

/** UNKNOWN_TABLE of ClickHouse. */
const unknownTableCode = 60;
const tableName = /^([\p{L}\p{N}_]+)(?:\.([\p{L}\p{N}_]+))?(?: \(alias .*\))?$/su;
const stored: ReadonlySet<string> = new Set(readableTables);
const views: ReadonlySet<string> = new Set(grantedViews);
const known: ReadonlySet<string> = new Set(sqlTables);
/** Tables that the views read. They hold rows of one key that are not merged yet, and texts that were corrected since. */
const behindViews: ReadonlySet<string> = new Set(tablesOfViews);

/**
 * Checks the name of a table as the tree prints it. `named` is whether the statement names subqueries, whose names then
 * stand in the place of tables; no name is known to be one of them, so none may be that of a table behind the views.
 *
 * @throws SqlRefusal
 */
export function checkTable(
  text: string,
  { database, named, wording }: { database: string; named: boolean; wording: Wording },
): void {
  const [, first = '', second] = tableName.exec(text) ?? [];
  const name = second ?? first;
  const isReadable = wording.of === 'caller' ? known.has(name) : isStored(name, wording);
  const isHidden = views.has(name) || (behindViews.has(name) && !known.has(name));
  if (wording.of === 'server' && named && second === undefined && known.has(name) && !isReadable) {
    throw nameOfView(name);
  }
  const isOwn = second === undefined ? isReadable || (named && !isHidden) : first === database && isReadable;
  if (first === '' || first.startsWith('_') || !isOwn) throw unknownTable(text.replace(/ \(alias .*/s, ''));
}

function isStored(name: string, { hasStoredNames }: Wording): boolean {
  return stored.has(name) || (hasStoredNames && views.has(name));
}

/** ClickHouse would find the stored table where the name of the subquery is not in scope. */
function nameOfView(name: string): SqlRefusal {
  return new SqlRefusal(`${name} is a table`, name, 'Give the subquery another name.');
}

/** Returns the error for a table that is not among the readable ones. */
export function unknownTable(name: string): SqlRefusal {
  const near = nearestNames(name.replace(/^.*\./s, ''), sqlTables, 1);
  const guess = near.map((table) => `Did you mean ${table}? `).join('');
  const advice = `${guess}SHOW TABLES lists them all.`;
  return new SqlRefusal(`There is no table ${shorten(name)} here`, name, advice, unknownTableCode);
}
